// Static locals keep their value between calls, per path.
// expect: paths = 4
// expect: exit-codes 0 1 2 3
#include <klee/klee.h>

static int count(int step) {
  static int total = 0;
  total += step;
  return total;
}

int main(void) {
  unsigned char a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  if (a > 100)
    count(1);
  if (b > 100)
    count(2);
  return count(0);
}
