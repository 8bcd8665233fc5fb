// Classifying symbolic doubles with the library's macros.
// expect: exit-codes 0 1 2 3 4 5
#include <klee/klee.h>
#include <math.h>

int main(void) {
  double x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (isnan(x))
    return 1;
  if (isinf(x) && signbit(x))
    return 2;
  switch (fpclassify(x)) {
  case FP_SUBNORMAL:
    return 3;
  case FP_ZERO:
    return 4;
  case FP_INFINITE:
    return 5;
  default:
    return 0;
  }
}
