// klee_report_error is an error of the user's own making.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 321)
    klee_report_error(__FILE__, __LINE__, "321 is not wanted", "report_error.err"); //~ user-error main
  return 0;
}
