// The smallest harness: the sign of an integer has three paths.
// expect: paths = 3
// expect: exit-codes 0 1 2
// expect: coverage full
#include <klee/klee.h>

static int sign(int x) {
  if (x == 0)
    return 0;
  if (x < 0)
    return 1;
  return 2;
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  return sign(x);
}
