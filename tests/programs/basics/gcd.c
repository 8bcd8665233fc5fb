// Euclid's algorithm on two small symbolic numbers; remainders of symbolic by symbolic. The path count comes from
// enumerating all inputs.
// expect: paths = 4
#include <assert.h>
#include <klee/klee.h>

static unsigned gcd(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

int main(void) {
  unsigned char a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_assume(a > 0 & a < 8);
  klee_assume(b > 0 & b < 8);
  unsigned g = gcd(a, b);
  assert(a % g == 0 && b % g == 0);
  return 0;
}
