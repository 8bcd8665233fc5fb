// A visitor that calls itself through a function pointer in a structure.
// expect: paths = 5
// expect: exit-codes 0 1 3 6 10
#include <klee/klee.h>

struct visitor {
  int (*visit)(const struct visitor *, int);
  int step;
};

static int descend(const struct visitor *v, int n) {
  if (n == 0)
    return 0;
  return n + v->visit(v, n - v->step);
}

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 4);
  struct visitor v = {descend, 1};
  return v.visit(&v, n);
}
