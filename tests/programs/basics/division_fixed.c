// Division and remainder by constants, powers of two and others, negative ones too.
// expect: exit-codes 0 1 2 3
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x / 8 == -3 && x % 8 == -5)
    return 1; // x = -29
  if (x / -7 == 100 && x % -7 == -6)
    return 2; // x = -706
  if ((unsigned)x / 10u == 429496729u && (unsigned)x % 10u == 5u)
    return 3; // x = 0xffffffff
  return 0;
}
