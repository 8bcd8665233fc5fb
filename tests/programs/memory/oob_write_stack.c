// An index check that is off by one lets the write pass the end.
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  volatile char buffer[16];
  if (i > 16)
    return 1;
  buffer[i] = 1; //~ out-of-bounds-write main
  return 0;
}
