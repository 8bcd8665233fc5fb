// klee_is_symbolic tells inputs from constants; natively nothing is symbolic.
// native: skip
// expect: exit-codes 0
// expect: paths = 1
#include <klee/klee.h>

int main(void) {
  int x, y = 4;
  klee_make_symbolic(&x, sizeof x, "x");
  if (!klee_is_symbolic(x))
    return 1;
  if (klee_is_symbolic(y))
    return 2;
  if (klee_is_symbolic(x - x + y))
    return 3;
  return (int)klee_is_replay();
}
