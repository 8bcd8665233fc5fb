// x87 extended precision, concrete: 64 bits of mantissa, printed and compared.
// expect: paths = 1
// expect: exit-codes 0
// expect: output "0.333333333333333333342 18446744073709551615 1 80\n"
#include <stdio.h>

static long double power(long double base, int exponent) {
  long double r = 1;
  while (exponent-- > 0)
    r *= base;
  return r;
}

int main(void) {
  volatile long double one = 1, three = 3;
  volatile unsigned long long all = ~0ULL;
  long double exact = (long double)all;
  printf("%.21Lf %.0Lf %d %d\n", one / three, exact, (unsigned long long)exact == all,
         (int)(power(1.5L, 10) * 1.4L));
  return 0;
}
