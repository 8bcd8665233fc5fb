// Hints to the compiler change nothing: expect, assume, prefetch, constant_p, assume_aligned, unpredictable.
// expect: exit-codes 0 1 2
#include <assert.h>
#include <klee/klee.h>

static int data[16] __attribute__((aligned(64)));

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x >= 0 & x < 16);
  __builtin_assume(x < 100);
  __builtin_prefetch(&data[x]);
  int *p = __builtin_assume_aligned(data, 64);
  p[x] = 3;
  if (__builtin_expect(x == 5, 0))
    return 1;
  if (__builtin_expect_with_probability(x == 6, 1, 0.9) && __builtin_unpredictable(data[6] == 3))
    return 2;
  assert(!__builtin_constant_p(x) || x == 7);
  return 0;
}
