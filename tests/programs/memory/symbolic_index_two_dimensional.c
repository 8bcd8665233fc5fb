// Rows and columns of a two-dimensional table.
// expect: paths = 2
// expect: exit-codes 0 1
#include <klee/klee.h>

static const short grid[4][5] = {
    {3, 1, 4, 1, 5}, {9, 2, 6, 5, 3}, {5, 8, 9, 7, 9}, {3, 2, 3, 8, 4}};

int main(void) {
  unsigned char row, column;
  klee_make_symbolic(&row, sizeof row, "row");
  klee_make_symbolic(&column, sizeof column, "column");
  klee_assume(row < 4 & column < 5);
  if (grid[row][column] * 10 + grid[(row + 1) & 3][column] == 78)
    return 1;
  return 0;
}
