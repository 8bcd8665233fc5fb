// klee_define_fixed_object makes a device register usable at its address.
// native: skip
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  klee_define_fixed_object((void *)0x9000000, 16);
  volatile unsigned *device = (unsigned *)0x9000000;
  device[3] = 7;
  return device[3] == 7 ? 0 : 1;
}
