// klee_choose gives a number below its argument.
// expect: exit-codes 0 1 2
// expect: paths = 3
#include <klee/klee.h>

int main(void) {
  switch (klee_choose(3)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return 2;
  default:
    return 9;
  }
}
