// An index past an inner array stays inside the object: only the compiled-in check sees it.
// flags: --ubsan
// expect: exit-codes 0
#include <klee/klee.h>

static volatile int grid[3][4];

int main(void) {
  unsigned char column;
  klee_make_symbolic(&column, sizeof column, "column");
  klee_assume(column < 6);
  grid[1][column] = 1; //~ index-out-of-bounds main
  return 0;
}
