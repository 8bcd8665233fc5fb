// A state machine of gotos that accepts (ab)*c over four symbolic characters.
// expect: exit-codes 0 1 2
// expect: paths = 7
#include <klee/klee.h>

int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  int i = 0;
start:
  if (i == 4)
    return 2;
  if (text[i] == 'c')
    goto accept;
  if (text[i++] != 'a')
    goto reject;
  if (text[i++] != 'b')
    goto reject;
  goto start;
accept:
  return 0;
reject:
  return 1;
}
