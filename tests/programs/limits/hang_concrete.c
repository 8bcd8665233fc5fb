// A wait for something that never happens.
// flags: --max-path-instructions 50000
// expect: exit-codes 1
#include <klee/klee.h>

static volatile int ready;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x != 5)
    return 1;
  for (;;) //~? instruction-limit main
    if (ready) //~? instruction-limit main
      return 0;
}
