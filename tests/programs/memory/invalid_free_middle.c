// free of a pointer that does not start its block.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char skip;
  klee_make_symbolic(&skip, sizeof skip, "skip");
  klee_assume(skip < 3);
  char *p = calloc(4, 1);
  if (!p)
    return 9;
  char *volatile q = p;
  while (skip--)
    q++;
  free(q); //~ invalid-free main
  return 0;
}
