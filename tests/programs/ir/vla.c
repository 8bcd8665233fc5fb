// Variable-length arrays: exact bounds, and they end with their block.
// expect: exit-codes 1 3
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n >= 1 & n <= 3);
  volatile int total = 0;
  for (int round = 0; round < 2; round++) {
    volatile char row[n];
    for (int i = 0; i < n; i++)
      row[i] = 1;
    for (int i = 0; i < n; i++)
      total += row[i];
    if (n == 2)
      total += row[n + round - 1]; //~ out-of-bounds-read main
  }
  return n == 1 ? 1 : n;
}
