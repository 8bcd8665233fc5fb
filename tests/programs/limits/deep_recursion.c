// Recursion without an end runs out of stack.
// opt: 0
// expect: exit-codes 0
#include <klee/klee.h>

static int depth(unsigned n) {
  volatile char frame[4096];
  frame[n % 4096] = 1;
  return n == 0 ? 0 : depth(n + 2) + frame[0] * 0; //~? stack-exhaustion depth
}

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 2);
  return depth(n * 3);
}
