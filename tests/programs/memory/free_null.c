// free(NULL) is fine, realloc(NULL, n) is malloc.
// expect: paths = 1
// expect: exit-codes 0
#include <stdlib.h>

int main(void) {
  void *volatile nothing = 0;
  free(nothing);
  char *p = realloc(nothing, 4);
  if (!p)
    return 9;
  p[3] = 1;
  free(p);
  return 0;
}
