// klee_get_obj_size gives the size of the object a pointer points to.
// native: skip
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char local[12];
  int *heap = malloc(40);
  if (klee_get_obj_size(local) != 12)
    return 1;
  if (klee_get_obj_size(heap) != 40)
    return 2;
  return 0;
}
