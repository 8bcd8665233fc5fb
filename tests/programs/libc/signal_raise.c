// raise(SIGABRT) without a handler is an abort.
// expect: exit-codes 0
#include <klee/klee.h>
#include <signal.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 8)
    raise(SIGABRT); //~ abort main
  return 0;
}
