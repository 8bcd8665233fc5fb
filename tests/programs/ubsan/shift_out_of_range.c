// Shifting by the width or more, and by a negative amount.
// flags: --ubsan
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  signed char by;
  klee_make_symbolic(&by, sizeof by, "by");
  volatile unsigned r = 5u << by; //~ invalid-shift|oversized-shift main
  if (r == 20)
    return 1;
  return 0;
}
