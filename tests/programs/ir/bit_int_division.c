// Wide division with concrete values, signed and unsigned, larger than a machine word.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>

int main(void) {
  volatile unsigned long long seed = 0x9e3779b97f4a7c15ULL;
  unsigned _BitInt(128) a = ((unsigned _BitInt(128))seed << 64) | (seed * 3);
  unsigned _BitInt(128) b = (unsigned _BitInt(128))seed * 5 + 1;
  unsigned _BitInt(128) q = a / b, r = a % b;
  assert(q * b + r == a && r < b);
  _BitInt(100) s = -(_BitInt(100))(seed >> 1) * 1000;
  _BitInt(100) t = 12345;
  assert(s / t * t + s % t == s && s % t <= 0);
  return 0;
}
