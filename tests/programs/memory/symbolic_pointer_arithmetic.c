// A pointer computed from an integer with symbolic low bits.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <stdint.h>

static volatile char buffer[16] __attribute__((aligned(16)));

int main(void) {
  unsigned char bits;
  klee_make_symbolic(&bits, sizeof bits, "bits");
  klee_assume(bits < 16);
  buffer[11] = 1;
  uintptr_t address = (uintptr_t)buffer | bits;
  if (*(volatile char *)address)
    return 1;
  return 0;
}
