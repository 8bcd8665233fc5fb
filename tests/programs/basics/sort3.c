// Sorting three numbers by exchange: six orders (with ties), and the result is always sorted.
// expect: exit-codes 0
// expect: paths = 6
#include <assert.h>
#include <klee/klee.h>

static void order(int *a, int *b) {
  if (*a > *b) {
    int t = *a;
    *a = *b;
    *b = t;
  }
}

int main(void) {
  int v[3];
  klee_make_symbolic(v, sizeof v, "v");
  order(&v[0], &v[1]);
  order(&v[1], &v[2]);
  order(&v[0], &v[1]);
  if (v[0] > v[1] || v[1] > v[2])
    assert(0 && "not sorted");
  return 0;
}
