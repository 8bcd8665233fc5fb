// The same with wide elements of a computed table in memory, and two indices that must meet.
// expect: paths = 2
// expect: exit-codes 0 1
#include <klee/klee.h>

static unsigned squares[64];

int main(void) {
  for (unsigned i = 0; i < 64; i++)
    squares[i] = i * i;
  unsigned char i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < 64 & j < 64 & i > j);
  if (squares[i] - squares[j] == 123)
    return 1; // 62 and 61, or 22 and 19
  return 0;
}
