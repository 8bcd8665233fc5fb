// Sorting three symbolic numbers with the library: sorted on every path.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  signed char x = *(const signed char *)a, y = *(const signed char *)b;
  return x < y ? -1 : x > y;
}

int main(void) {
  signed char v[3];
  klee_make_symbolic(v, sizeof v, "v");
  int sum = v[0] + v[1] + v[2];
  qsort(v, 3, 1, compare);
  assert(v[0] <= v[1] && v[1] <= v[2]);
  assert(v[0] + v[1] + v[2] == sum);
  return 0;
}
