// INT_MIN / -1 does not fit; division by zero is its own kind.
// flags: --ubsan
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  volatile int q;
  if (y == -1)
    q = x / y; //~ division-overflow|integer-overflow main
  else
    q = x / y; //~ division-by-zero main
  if (q == 3)
    return 1;
  return 0;
}
