// klee_assert is assert.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x > 0);
  klee_assert(x != 1 << 30); //~ assertion-failure main
  return 0;
}
