// Branches that contradict the path so far are not explored; an unsatisfiable assumption ends its path alone.
// expect: exit-codes 0 1
// expect: paths = 3
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 100) {
    if (x < 50)
      return 7;
    if (x % 2 == 1 && x == 1000)
      return 8;
    return 1;
  }
  if (x == 101)
    return 9;
  return 0;
}
