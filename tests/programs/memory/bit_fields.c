// Bit-fields, signed and unsigned, across byte borders and next to each other, one wider than 32 bits.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

struct fields {
  unsigned a : 3;
  signed b : 5;
  unsigned long long c : 45;
  unsigned d : 11;
  _Bool e : 1;
};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct fields f = {0};
  f.a = x;
  f.b = x;
  f.c = (unsigned long long)x << 20;
  f.d = x >> 3;
  f.e = x & 1;
  assert(f.a == (x & 7));
  assert(f.b >= -16 && f.b <= 15);
  assert((f.b & 31) == (x & 31));
  assert(f.c == (((unsigned long long)x << 20) & ((1ULL << 45) - 1)));
  assert(f.e == (x & 1));
  if (f.a == 5 && f.b == -11 && f.d == 0x2aa && f.e)
    return 1;
  return 0;
}
