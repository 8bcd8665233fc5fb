// Arithmetic that stays within its types gives no finding.
// flags: --ubsan
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  short a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  volatile int sum = a + b, product = a * b;
  volatile unsigned wrap = (unsigned)sum * 3000000000u;
  volatile int shifted = (int)((unsigned)(product & 0xff) << 8);
  (void)wrap;
  (void)shifted;
  return 0;
}
