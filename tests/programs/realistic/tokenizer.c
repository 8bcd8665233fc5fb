// A tokenizer copies identifiers into a fixed buffer; the check allows one character too many. At -O2 the compiler sees that
// the write has no defined place to go, and removes it.
// expect: exit-codes 0 1
#include <klee/klee.h>

#define LONGEST 3

static int tokens(const char *text) {
  int count = 0;
  while (*text) {
    if (*text == ' ') {
      text++;
      continue;
    }
    if (*text < 'a' || *text > 'z')
      return -1;
    volatile char name[LONGEST];
    int n = 0;
    while (*text >= 'a' && *text <= 'z') {
      if (n > LONGEST)
        return -1;
      name[n++] = *text++; //~O0,O1 out-of-bounds-write tokens
    }
    count++;
  }
  return count;
}

int main(void) {
  char text[6];
  klee_make_symbolic(text, sizeof text, "text");
  text[5] = 0;
  if (tokens(text) < 0)
    return 1;
  return 0;
}
