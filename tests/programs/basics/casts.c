// Widening with and without sign, and narrowing: the same byte means different numbers.
// expect: exit-codes 0 1 2 3
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  signed char s = (signed char)x;
  unsigned char u = (unsigned char)x;
  assert((s & 0xff) == u);
  assert((s < 0) == (u >= 128));
  short h = (short)x;
  if (h == -32768)
    return 1;
  if ((long long)x * 2 == 0xfffffffeLL)
    return 2; // x = 0x7fffffff
  if ((unsigned long long)(long long)x == 0xffffffff80000000ULL + 5)
    return 3;
  return 0;
}
