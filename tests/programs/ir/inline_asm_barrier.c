// Empty assembly used as a compiler barrier, and to hide a value from the optimiser.
// expect: paths = 2
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  __asm__ volatile("" ::: "memory");
  __asm__("" : "+r"(x));
  if (x == 4711)
    return 1;
  return 0;
}
