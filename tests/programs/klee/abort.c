// klee_abort ends the path as abort does.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == -5)
    klee_abort(); //~ abort main
  return 0;
}
