// qsort and bsearch call back into the program.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

int main(void) {
  int v[8] = {50, 3, 99, -4, 17, 0, 8, 23};
  int key;
  klee_make_symbolic(&key, sizeof key, "key");
  qsort(v, 8, sizeof *v, compare);
  for (int i = 1; i < 8; i++)
    assert(v[i - 1] <= v[i]);
  const int *found = bsearch(&key, v, 8, sizeof *v, compare);
  if (found) {
    assert(*found == key);
    return 1;
  }
  return 0;
}
