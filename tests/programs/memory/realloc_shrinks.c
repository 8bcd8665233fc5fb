// After shrinking, the tail is gone.
// expect: exit-codes 4
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 8);
  volatile char *p = malloc(8);
  if (!p)
    return 9;
  for (int k = 0; k < 8; k++)
    p[k] = 4;
  p = realloc((void *)p, 5);
  if (!p)
    return 9;
  return p[i]; //~ out-of-bounds-read main
}
