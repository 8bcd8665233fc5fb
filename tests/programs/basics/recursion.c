// Recursion with a symbolic depth: Fibonacci numbers of 0..7.
// expect: paths = 8
// expect: exit-codes 0 1 2 3 5 8 13
#include <klee/klee.h>

static int fibonacci(int n) {
  if (n == 0)
    return 0;
  if (n == 1)
    return 1;
  return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
  int n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n >= 0 & n < 8);
  return fibonacci(n);
}
