// klee_prefer_cex asks for nicer values in the test where the path allows them.
// expect: exit-codes 0 1
// expect: outputs "a\n" "Z\n"
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  char c;
  klee_make_symbolic(&c, sizeof c, "c");
  klee_prefer_cex(&c, c == 'a');
  if (c == 'Z') {
    puts("Z");
    return 1;
  }
  printf("%c\n", c);
  return 0;
}
