// Heap objects and parts of structures become symbolic; two objects with one name stay apart.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <stdlib.h>

struct record {
  int fixed;
  int open;
};

int main(void) {
  struct record *r = malloc(sizeof *r);
  if (!r)
    return 9;
  klee_make_symbolic(r, sizeof *r, "record");
  r->fixed = 5;
  int other;
  klee_make_symbolic(&other, sizeof other, "record");
  int open = r->open, fixed = r->fixed;
  free(r);
  if (open == 77 && other == 78 && fixed == 5)
    return 1;
  return 0;
}
