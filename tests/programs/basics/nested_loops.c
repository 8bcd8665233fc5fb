// Two nested loops with symbolic bounds, and a break that depends on an input.
// expect: exit-codes 0 1 2 3 4 6 9
// expect: paths = 22
#include <klee/klee.h>

int main(void) {
  unsigned char rows, columns, stop;
  klee_make_symbolic(&rows, sizeof rows, "rows");
  klee_make_symbolic(&columns, sizeof columns, "columns");
  klee_make_symbolic(&stop, sizeof stop, "stop");
  klee_assume(rows <= 3);
  klee_assume(columns <= 3);
  int cells = 0;
  for (int i = 0; i < rows; i++) {
    if (i == stop)
      break;
    for (int j = 0; j < columns; j++)
      cells++;
  }
  return cells;
}
