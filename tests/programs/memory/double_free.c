// Cleaning up twice when two conditions meet.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char flags;
  klee_make_symbolic(&flags, sizeof flags, "flags");
  char *volatile p = malloc(8);
  if (!p)
    return 9;
  if (flags & 1)
    free(p);
  if (flags & 4)
    free(p); //~ double-free main
  return 0;
}
