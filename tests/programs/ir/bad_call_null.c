// A call through a null function pointer.
// expect: exit-codes 4
#include <klee/klee.h>

static int four(void) { return 4; }

static int (*volatile handlers[2])(void) = {four, 0};

int main(void) {
  unsigned char which;
  klee_make_symbolic(&which, sizeof which, "which");
  return handlers[which > 250](); //~ bad-call|null-dereference main
}
