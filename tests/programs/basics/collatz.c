// The path is the sequence of even and odd steps: one per start value that has its own sequence.
// expect: paths = 16
#include <klee/klee.h>

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n >= 1 & n <= 16);
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    steps++;
  }
  return steps;
}
