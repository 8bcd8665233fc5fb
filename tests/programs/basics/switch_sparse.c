// Case values far apart, negative ones among them: every case is reachable and the default too.
// expect: paths = 6
// expect: exit-codes 1 2 3 4 5 6
// expect: coverage full
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case -2147483647 - 1:
    return 1;
  case -7:
    return 2;
  case 0:
    return 3;
  case 1000000007:
    return 4;
  case 2147483647:
    return 5;
  default:
    return 6;
  }
}
