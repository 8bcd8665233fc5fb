// A double whose square is 2.25 and which is negative; then a comparison chain between neighbours.
// expect: exit-codes 0 1 2
#include <klee/klee.h>

int main(void) {
  double x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 0 && x * x == 2.25)
    return 1;
  if (x > 1.0 && x < 1.0000000000000004)
    return 2; // exactly one double lies between
  return 0;
}
