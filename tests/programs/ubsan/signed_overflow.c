// Signed addition, subtraction, multiplication and negation overflow at their own lines.
// flags: --ubsan
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  int x;
  unsigned char which;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&which, sizeof which, "which");
  volatile int r = 0;
  switch (which) {
  case 0:
    r = x + 100; //~ integer-overflow main
    break;
  case 1:
    r = x - 100; //~ integer-overflow main
    break;
  case 2:
    r = x * 3; //~ integer-overflow main
    break;
  case 3:
    r = -x; //~ integer-overflow main
    break;
  case 4:
    r = x;
    r++; //~ integer-overflow main
    break;
  }
  if (r == 5)
    return 1;
  return 0;
}
