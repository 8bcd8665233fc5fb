// abort ends the path with its own kind of bug.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x % 1000 == 999)
    abort(); //~ abort main
  return 0;
}
