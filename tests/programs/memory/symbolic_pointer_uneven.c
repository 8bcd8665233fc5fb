// Rows of different lengths behind a table of pointers: only the short row is left.
// expect: exit-codes 0
#include <klee/klee.h>

static volatile char row0[4], row1[3], row2[4];
static volatile char *const rows[3] = {row0, row1, row2};

int main(void) {
  unsigned char row, column;
  klee_make_symbolic(&row, sizeof row, "row");
  klee_make_symbolic(&column, sizeof column, "column");
  klee_assume(row < 3 & column < 4);
  rows[row][column] = 1; //~ out-of-bounds-write main
  return 0;
}
