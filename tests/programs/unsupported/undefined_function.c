// A function that is nowhere defined is an error on the path that calls it.
// native: skip
// expect: exit-codes 0
#include <klee/klee.h>

extern int defined_nowhere(int);

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 5)
    return defined_nowhere(x); //~ unsupported main
  return 0;
}
