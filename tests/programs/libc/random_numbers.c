// rand is deterministic from its seed, and never negative.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <stdlib.h>

int main(void) {
  srand(7);
  int a = rand(), b = rand();
  srand(7);
  assert(rand() == a && rand() == b && a >= 0 && a != b);
  return 0;
}
