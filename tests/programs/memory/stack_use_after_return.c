// The address of a local variable outlives its function.
// opt: 0
// expect: exit-codes 0
#include <klee/klee.h>

static int *volatile kept;

static void keep(int x) {
  int local = x;
  kept = &local;
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  keep(x);
  if (x == 400)
    return *kept & 1; //~ use-after-return|use-after-free main
  return 0;
}
