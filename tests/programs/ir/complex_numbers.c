// Complex arithmetic, multiplication and division included.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <complex.h>

int main(void) {
  volatile double re = 3, im = 4;
  double complex z = re + im * I;
  double complex square = z * z;
  assert(creal(square) == -7 && cimag(square) == 24);
  double complex one = z / z;
  assert(creal(one) == 1 && cimag(one) == 0);
  assert(creal(conj(z)) == 3 && cimag(conj(z)) == -4);
  float complex f = (float complex)z * 2.0f;
  assert(crealf(f) == 6.0f && cimagf(f) == 8.0f);
  assert(cabs(z) == 5);
  return 0;
}
