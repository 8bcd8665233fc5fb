// The floating-point functions that become instructions: fabs, floor, ceil, trunc, rint, copysign, fma, sqrt, fmin.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <math.h>

int main(void) {
  volatile double x = -2.5, y = 7.25;
  assert(fabs(x) == 2.5 && floor(x) == -3 && ceil(x) == -2 && trunc(x) == -2);
  assert(rint(x) == -2 && round(x) == -3 && nearbyint(y) == 7);
  assert(copysign(y, x) == -7.25 && signbit(x));
  assert(fma(x, 2.0, y) == 2.25 && sqrt(y * y) == 7.25);
  assert(fmin(x, y) == x && fmax(x, NAN) == x);
  volatile float f = 2.0f;
  assert(sqrtf(f) == 1.41421354f);
  assert(isnan(sqrt(x)) && isinf(y / 0.0));
  volatile double half = 0.5;
  assert(lrint(half) == 0 && lround(half) == 1 && llrint(1.5) == 2);
  int exponent;
  assert(frexp(y, &exponent) == 0.90625 && exponent == 3 && ldexp(0.90625, 3) == y);
  assert(fmod(y, 2.0) == 1.25 && scalbn(1.0, 10) == 1024);
  return 0;
}
