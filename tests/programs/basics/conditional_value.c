// The conditional operator and comparisons used as numbers.
// expect: exit-codes 0 1 2 3 4
#include <klee/klee.h>

int main(void) {
  int a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  int order = (a > b) - (a < b);
  int low = a < b ? a : b;
  if (low == 1000) {
    if (order == 0)
      return 4;
    return 3;
  }
  if (order < 0)
    return 0;
  if (order > 0)
    return 2;
  return 1;
}
