// Zero-length arrays and malloc(0): nothing may be touched, but addresses are distinct and may be freed.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

struct tail {
  int n;
  int items[0];
};

int main(void) {
  int touch;
  klee_make_symbolic(&touch, sizeof touch, "touch");
  volatile char *p = malloc(0);
  struct tail *t = malloc(sizeof *t);
  if (!p || !t)
    return 9;
  t->n = 0;
  if (touch == 3)
    p[1] = 1; //~ out-of-bounds-write main
  free((void *)p);
  free(t);
  return 0;
}
