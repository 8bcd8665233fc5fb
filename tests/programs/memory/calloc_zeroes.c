// calloc gives zeroes, and refuses a product that overflows.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  int *p = calloc(5, sizeof *p);
  if (!p)
    return 9;
  for (int i = 0; i < 5; i++)
    assert(p[i] == 0);
  free(p);
  volatile size_t huge = SIZE_MAX / 2;
  void *volatile none = calloc(huge, 4);
  assert(none == NULL);
  return 0;
}
