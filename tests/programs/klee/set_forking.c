// With forking off, a symbolic branch takes one side; turned on again, it forks.
// native: skip
// expect: paths = 2
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_set_forking(0);
  int r = 0;
  if (x > 10)
    r = 1;
  klee_set_forking(1);
  if (y > 10)
    r += 2;
  return r;
}
