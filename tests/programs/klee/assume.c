// klee_assume removes inputs; what remains is all that is explored.
// expect: exit-codes 0 1
// expect: paths = 2
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x >= 10);
  klee_assume(x < 20);
  klee_assume(x % 7 == 0);
  assert(x == 14);
  int y;
  klee_make_symbolic(&y, sizeof y, "y");
  if (y == (int)x)
    return 1;
  return 0;
}
