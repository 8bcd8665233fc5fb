// Not-a-number, infinities and signed zeros are reachable as symbolic inputs.
// expect: exit-codes 0 1 2 3
#include <klee/klee.h>
#include <string.h>

int main(void) {
  double x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x != x)
    return 1;
  if (x > 1.7976931348623157e308)
    return 2;
  unsigned long long bits;
  memcpy(&bits, &x, sizeof bits);
  if (x == 0.0 && bits != 0)
    return 3;
  return 0;
}
