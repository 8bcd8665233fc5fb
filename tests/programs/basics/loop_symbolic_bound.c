// A loop whose number of rounds is an input: one path per number of rounds.
// expect: paths = 11
// expect: exit-codes 0 1 3 6 10 15 21 28 36 45 55
// expect: coverage full
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 10);
  int sum = 0;
  for (int i = 1; i <= n; i++)
    sum += i;
  return sum;
}
