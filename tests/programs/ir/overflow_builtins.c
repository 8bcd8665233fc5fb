// Arithmetic with overflow flags, of several widths and signs.
// expect: exit-codes 0 1 2 3
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  int sum;
  int over = __builtin_add_overflow(a, b, &sum);
  assert(over == ((long)a + b != sum));
  unsigned char narrow;
  int narrow_over = __builtin_sub_overflow(a, b, &narrow);
  assert(narrow_over == ((long)a - b != narrow));
  if (over && sum == 5)
    return 1; // impossible signs are excluded by the arithmetic, not by us: -2^31 + (-2^31 + 5) wraps to 5
  short product;
  if (a == 300 && b > 0 && __builtin_mul_overflow((short)a, (short)b, &product))
    return 2;
  unsigned long long carry;
  if (__builtin_add_overflow(~0ULL, (unsigned long long)(unsigned)a, &carry) && carry == 41)
    return 3;
  return 0;
}
