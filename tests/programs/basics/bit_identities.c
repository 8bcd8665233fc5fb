// Identities of bit arithmetic hold for every input: the engine must prove, not sample.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  assert((x ^ y) + 2 * (x & y) == x + y);
  assert((x | y) == (x & ~y) + y);
  assert((x & -x) == (x & (~x + 1)));
  assert(~(x & y) == (~x | ~y));
  assert(((x >> 16) | (x << 16)) == ((x << 16) ^ (x >> 16)));
  return 0;
}
