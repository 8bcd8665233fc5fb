// Element-wise minimum, maximum, absolute value and saturating arithmetic.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

typedef signed char v4 __attribute__((vector_size(4)));

int main(void) {
  signed char x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  v4 a = {x, 100, -100, 1}, b = {y, 100, -100, 1};
  v4 s = __builtin_elementwise_add_sat(a, b);
  int sum = s[0];
  int exact = x + y;
  assert(sum == (exact > 127 ? 127 : exact < -128 ? -128 : exact));
  unsigned wide = (unsigned char)x;
  assert(__builtin_elementwise_sub_sat(wide, (unsigned)(unsigned char)y) <= wide);
  assert(__builtin_elementwise_add_sat(2000000000, 100000000 + x * 1000000) <= 2147483647);
  assert(__builtin_elementwise_abs(exact) >= exact);
  assert(__builtin_elementwise_max(x, y) >= __builtin_elementwise_min(x, y));
  assert(s[1] == 127 && s[2] == -128 && s[3] == 2);
  if (sum == 127 && x == 100)
    return 1;
  return 0;
}
