// Many paths reach the same bad line: that is one bug, reported once.
#include <klee/klee.h>

static volatile char small[4];

int main(void) {
  unsigned char a, b, c;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_make_symbolic(&c, sizeof c, "c");
  int at = 0;
  if (a > 9)
    at += 4;
  if (b > 9)
    at += 4;
  if (c > 9)
    at += 4;
  small[at] = 1; //~ out-of-bounds-write main
  return 0;
}
