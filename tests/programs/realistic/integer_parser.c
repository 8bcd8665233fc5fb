// A decimal parser that forgets to check for overflow before it multiplies.
// flags: --ubsan
// expect: exit-codes 0 1 2
#include <klee/klee.h>

static int parse(const char *text, int *value) {
  int result = 0;
  if (!*text)
    return 1;
  for (; *text; text++) {
    if (*text < '0' || *text > '9')
      return 2;
    result = result * 10 + (*text - '0'); //~ integer-overflow parse
  }
  *value = result;
  return 0;
}

int main(void) {
  char text[11];
  klee_make_symbolic(text, sizeof text, "text");
  text[10] = 0;
  volatile int value = 0;
  return parse(text, (int *)&value);
}
