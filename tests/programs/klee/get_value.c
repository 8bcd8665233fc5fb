// klee_get_value picks one value that the path allows, without adding a constraint to the others.
// native: skip
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x > 40 & x < 50);
  int one = klee_get_value_i32((int)x);
  if (one <= 40 || one >= 50)
    return 1;
  if (klee_is_symbolic((uintptr_t)one))
    return 2;
  if (klee_get_value_i64(x) >= 50)
    return 3;
  return 0;
}
