// Shifts by a symbolic amount: logical, arithmetic, left.
// expect: exit-codes 0 1 2 3
#include <klee/klee.h>

int main(void) {
  int x;
  unsigned char by;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&by, sizeof by, "by");
  klee_assume(by < 32);
  if (x < 0 && x >> by == -3 && by == 7)
    return 1;
  if ((unsigned)x >> by == 5u && by > 20)
    return 2;
  if ((unsigned)x << by == 0xA0000000u && by > 3)
    return 3;
  return 0;
}
