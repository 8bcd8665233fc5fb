// 128-bit integers: arithmetic, division, comparison, shifts, memory.
// expect: exit-codes 0 1 2
#include <assert.h>
#include <klee/klee.h>

typedef unsigned __int128 u128;

int main(void) {
  unsigned long long a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  u128 sum = (u128)a + b;
  assert((sum >> 64) <= 1);
  assert((unsigned long long)sum == a + b);
  u128 wide = ((u128)a << 64) | b;
  if (wide == (((u128)0x0123456789abcdefULL << 64) | 0xfedcba9876543210ULL))
    return 1;
  volatile u128 ten = 10;
  u128 fixed = ((u128)1 << 100) / ten % 1000007;
  assert(fixed == 369865);
  if ((sum >> 64) == 1 && a == b && (a & 0xff) == 0x5a)
    return 2;
  return 0;
}
