// A read one past a local array: the path splits into "inside" and the bug.
// expect: paths = 2
// expect: exit-codes 5
#include <klee/klee.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 4);
  volatile int a[4] = {5, 5, 5, 5};
  return a[i]; //~ out-of-bounds-read main
}
