// A block that nothing points to when the program ends.
// flags: --check-leaks
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

static char *volatile kept;

int main(void) {
  int forget;
  klee_make_symbolic(&forget, sizeof forget, "forget");
  kept = malloc(3);
  char *volatile p = malloc(5); //~ leak main
  if (forget != 66)
    free(p);
  p = 0;
  return 0;
}
