// x86 allows unaligned access; memcpy into a local gives the same value.
// expect: paths = 2
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char bytes[9];
  klee_make_symbolic(bytes, sizeof bytes, "bytes");
  unsigned long value;
  memcpy(&value, bytes + 1, sizeof value);
  assert((unsigned char)(value >> 8) == bytes[2]);
  if (value == 0x1122334455667788UL)
    return 1;
  return 0;
}
