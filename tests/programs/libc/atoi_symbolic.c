// atoi with sign and leading blanks.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  text[3] = 0;
  int value = atoi(text);
  if (value == -42)
    return 1;
  if (value == 9 && text[1] == '+')
    return 2;
  return 0;
}
