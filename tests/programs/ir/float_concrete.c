// float and double arithmetic agrees with the machine: rounding, infinities, not-a-number, signed zero, subnormals.
// expect: paths = 1
// expect: exit-codes 0
// expect: output "0.1+0.2=0.30000000000000004 f=0.300000012 inf=inf nan=1 sub=4.9406564584124654e-324 neg0=-0 third=0x1.5555555555555p-2\n"
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double a = 0.1, b = 0.2, zero = 0.0, one = 1.0, three = 3.0;
  volatile float fa = 0.1f, fb = 0.2f;
  double nan = zero / zero;
  printf("0.1+0.2=%.17g f=%.9g inf=%g nan=%d sub=%.17g neg0=%g third=%a\n", a + b, fa + fb, one / zero, nan != nan,
         5e-324 * one, -zero, one / three);
  return 0;
}
