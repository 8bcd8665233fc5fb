// The engine's own shift check needs no instrumentation.
// flags: --check-overshift
// opt: 0
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  unsigned char by;
  klee_make_symbolic(&by, sizeof by, "by");
  volatile unsigned r = 1u << by; //~ oversized-shift main
  if (r == 8)
    return 1;
  return 0;
}
