// math.h as printed to a few digits.
// expect: paths = 1
// expect: exit-codes 0
// expect: output "0.841471 0.540302 1.557408 2.718282 0.693147 1024.000000 1.442250 0.785398 5.000000 0.842701\n"
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double one = 1.0, two = 2.0;
  printf("%f %f %f %f %f %f %f %f %f %f\n", sin(one), cos(one), tan(one), exp(one), log(two), pow(two, 10.0),
         cbrt(3.0 * one), atan2(one, one), hypot(3.0 * one, 4.0 * one), erf(one));
  return 0;
}
