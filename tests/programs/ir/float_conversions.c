// Integer to floating point and back, with symbolic values: truncation and lost precision.
// expect: exit-codes 0 1 2
#include <klee/klee.h>

int main(void) {
  int i;
  double d;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&d, sizeof d, "d");
  if ((float)i != (double)i && i > 0)
    return 1;
  if (d > -100.0 && d < 100.0 && (int)d == -7 && d != -7.0)
    return 2;
  return 0;
}
