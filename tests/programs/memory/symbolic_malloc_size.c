// A symbolic allocation size: the block is never silently larger or smaller than asked.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char size;
  klee_make_symbolic(&size, sizeof size, "size");
  klee_assume(size >= 1 & size <= 6);
  volatile char *p = malloc(size);
  if (!p)
    return 1;
  p[size - 1] = 1;
  p[4] = 1; //~ out-of-bounds-write main
  free((void *)p);
  if (size == 6)
    return 1;
  return 0;
}
