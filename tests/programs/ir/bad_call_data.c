// A call to an address that is not a function.
// expect: exit-codes 4
#include <klee/klee.h>

static int four(void) { return 4; }
static char data[16];

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  int (*volatile f)(void) = x == 1234 ? (int (*)(void))(void *)data : four;
  return f(); //~ bad-call main
}
