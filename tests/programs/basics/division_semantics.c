// Signed division truncates towards zero, unsigned does not know signs; both for symbolic operands.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  signed char a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_assume(b != 0);
  int q = a / b, r = a % b;
  assert(q * b + r == a);
  assert(r == 0 || (r < 0) == (a < 0));
  unsigned ua = (unsigned char)a, ub = (unsigned char)b;
  assert(ua / ub * ub + ua % ub == ua);
  assert(ua % ub < ub);
  return 0;
}
