// Two functions that call each other until the input is used up.
// expect: paths = 9
// expect: exit-codes 0 1
#include <klee/klee.h>

static int is_odd(unsigned n);

static int is_even(unsigned n) {
  if (n == 0)
    return 1;
  return is_odd(n - 1);
}

static int is_odd(unsigned n) {
  if (n == 0)
    return 0;
  return is_even(n - 1);
}

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 8);
  return is_odd(n);
}
