// String literals are constant memory.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  unsigned char pick;
  klee_make_symbolic(&pick, sizeof pick, "pick");
  char local[] = "local";
  char *volatile p = pick == 200 ? (char *)"literal" : local;
  p[0] = 'X'; //~ write-to-constant main
  return 0;
}
