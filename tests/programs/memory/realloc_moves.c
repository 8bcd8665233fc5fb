// realloc keeps the contents, gives new room, and ends the old block.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int stale, x;
  klee_make_symbolic(&stale, sizeof stale, "stale");
  klee_make_symbolic(&x, sizeof x, "x");
  volatile int *old = malloc(2 * sizeof *old);
  if (!old)
    return 9;
  old[1] = x;
  volatile int *new = realloc((void *)old, 4000 * sizeof *new);
  if (!new)
    return 9;
  if (new[1] != x)
    return 8;
  new[3999] = 1;
  if (stale == 5)
    new = old;
  int value = new[1]; //~ use-after-free main
  free((void *)new);
  if (value == 77)
    return 1;
  return 0;
}
