// The smallest integer divided by minus one traps in the machine: found without any compiled-in check.
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_assume(y == -1 | y == 2);
  volatile int q = x / y; //~ division-overflow|integer-overflow main
  if (q == 77)
    return 1;
  return 0;
}
