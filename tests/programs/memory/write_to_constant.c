// A const table may be read at any index, and not written.
// expect: exit-codes 0 1
#include <klee/klee.h>

const int limits[4] = {1, 2, 3, 4};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 8);
  if (i >= 4)
    return 1;
  volatile int *writable = (volatile int *)(unsigned long)&limits[i];
  if (*writable == 3)
    *writable = 0; //~ write-to-constant main
  return 0;
}
