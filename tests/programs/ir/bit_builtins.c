// Counting, reversing and rotating bits of symbolic values.
// expect: exit-codes 0 1 2 3 4
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  assert(__builtin_popcount(x) <= 32);
  assert(__builtin_bswap32(__builtin_bswap32(x)) == x);
  assert(__builtin_bitreverse32(__builtin_bitreverse32(x)) == x);
  assert(__builtin_rotateleft32(x, 13) == __builtin_rotateright32(x, 19));
  assert(__builtin_parity(x) == (__builtin_popcount(x) & 1));
  if (x != 0) {
    assert((x >> __builtin_ctz(x)) & 1);
    assert((x << __builtin_clz(x)) >> 31);
    assert(__builtin_ffs((int)x) == __builtin_ctz(x) + 1);
  }
  if (__builtin_popcount(x) == 31)
    return 1;
  if (x != 0 && __builtin_clz(x) == 9 && __builtin_ctz(x) == 20)
    return 2;
  if (__builtin_bswap32(x) == 0xcafebabe)
    return 3;
  if (__builtin_rotateleft32(x, x & 31) == 0xe68003d5 && (x & 31) == 7)
    return 4;
  return 0;
}
