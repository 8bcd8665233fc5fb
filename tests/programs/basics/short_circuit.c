// && and || evaluate their right side only when it matters: each evaluation order is its own path.
// expect: paths = 6
// expect: exit-codes 0 1 2 3
#include <klee/klee.h>

int main(void) {
  unsigned char a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  int r = 0;
  if (a > 10 && b > 20)
    r |= 1;
  if (a == 7 || b == 33)
    r |= 2;
  return r;
}
