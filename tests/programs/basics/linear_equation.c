// Wrapping arithmetic has a solution that guessing does not find: 3x + 7 = 52 (mod 2^32) and a second, larger one.
// expect: paths = 3
// expect: exit-codes 0 1 2
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (3 * x + 7 == 52)
    return 1;
  if (x * 0x9E3779B1u == 0xDEADBEEFu)
    return 2;
  return 0;
}
