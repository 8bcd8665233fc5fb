// Eight independent two-way decisions: 256 paths, every sum of bits is an exit code.
// expect: paths = 256
// expect: coverage full
#include <klee/klee.h>

int main(void) {
  unsigned char flags[8];
  klee_make_symbolic(flags, sizeof flags, "flags");
  int bits = 0;
  for (int i = 0; i < 8; i++)
    if (flags[i] > 99)
      bits |= 1 << i;
  return bits;
}
