// Reaching what was promised to be unreachable. Optimisation may use the promise instead, so only -O0 is asked.
// opt: 0
// expect: exit-codes 0 1
#include <klee/klee.h>

static int parity(unsigned char x) {
  switch (x % 4) {
  case 0:
  case 2:
    return 0;
  case 1:
    return 1;
  default:
    __builtin_unreachable(); //~ unreachable parity
  }
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  return parity(x);
}
