// strtol finds the digits of a number in symbolic text.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  text[3] = 0;
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text + 3 && value == 365)
    return 1;
  if (*end == 'h' && value == -7)
    return 2;
  return 0;
}
