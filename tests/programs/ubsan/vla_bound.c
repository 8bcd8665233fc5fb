// A variable-length array must have a positive length.
// flags: --ubsan
// expect: exit-codes 1
#include <klee/klee.h>

int main(void) {
  signed char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 4 & n > -2);
  volatile char row[n]; //~ non-positive-array-length main
  row[n - 1] = 1;
  return row[n - 1];
}
