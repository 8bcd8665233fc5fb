// Messages to the user do not disturb the path.
// expect: exit-codes 0 1
// expect: paths = 2
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_warning("a warning");
  klee_warning_once("a warning, once");
  klee_print_expr("x + 1", x + 1);
  klee_print_range("x", x);
  klee_stack_trace();
  if (x > 5)
    return 1;
  return 0;
}
