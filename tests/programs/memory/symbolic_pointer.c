// A pointer that may point into one of three objects, chosen by an input.
// expect: exit-codes 1 2 3 4
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int global = 2;

int main(void) {
  unsigned char pick;
  klee_make_symbolic(&pick, sizeof pick, "pick");
  int local = 1;
  int *heap = malloc(sizeof *heap);
  if (!heap)
    return 9;
  *heap = 3;
  int *all[3] = {&local, &global, heap};
  if (pick >= 3)
    return 4;
  int *p = all[pick];
  int before = *p;
  *p += 10;
  assert(local + global + *heap == 16);
  assert(*all[pick] == before + 10);
  if (before == 1)
    return 1;
  if (before == 2)
    return 2;
  return 3;
}
