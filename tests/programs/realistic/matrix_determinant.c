// A determinant that must be 1: arithmetic on nine small symbolic numbers, one path.
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  signed char m[4];
  klee_make_symbolic(m, sizeof m, "m");
  int determinant = m[0] * m[3] - m[1] * m[2];
  if (determinant == 1 && m[0] == 17 && m[1] == 12)
    return 1;
  return 0;
}
