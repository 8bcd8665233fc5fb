// free of a global variable.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

static char storage[8];

int main(void) {
  int odd;
  klee_make_symbolic(&odd, sizeof odd, "odd");
  char *volatile p = storage;
  if (odd == 77)
    free(p); //~ free-of-global|invalid-free main
  return 0;
}
