// A switch over 64 bits: cases that differ only in the upper half must not be mixed up.
// expect: paths = 4
// expect: exit-codes 0 1 2 3
#include <klee/klee.h>

int main(void) {
  unsigned long long x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 0x100000001ULL:
    return 1;
  case 0x200000001ULL:
    return 2;
  case 0x1ULL:
    return 3;
  default:
    return 0;
  }
}
