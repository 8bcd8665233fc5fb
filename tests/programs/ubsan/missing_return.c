// In C, falling off the end is bad only when the value is used; unreachable code is reported by its builtin.
// flags: --ubsan
// expect: exit-codes 3 4
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x & 3) {
  case 0:
  case 1:
    return 3;
  case 2:
    return 4;
  }
  __builtin_unreachable(); //~ unreachable-call|unreachable main
}
