// klee_prefer_cex asks for nicer values in the test where the path allows them.
// expect: exit-codes 1 97
#include <klee/klee.h>

int main(void) {
  char c;
  klee_make_symbolic(&c, sizeof c, "c");
  klee_prefer_cex(&c, c == 'a');
  if (c == 'Z')
    return 1;
  return c;
}
