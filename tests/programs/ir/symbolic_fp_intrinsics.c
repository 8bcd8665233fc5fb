// fabs, floor and sqrt of symbolic doubles.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <math.h>

int main(void) {
  double x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (fabs(x) == 8.5 && x < 0)
    return 1;
  if (x > 2 && x < 100 && sqrt(x) == 3.0)
    return 2;
  return 0;
}
