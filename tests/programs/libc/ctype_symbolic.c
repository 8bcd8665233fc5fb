// Character classes of a symbolic character.
// expect: exit-codes 0 1 2 3 4 5
#include <ctype.h>
#include <klee/klee.h>

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  if (isdigit(c))
    return 1;
  if (isupper(c)) {
    if (tolower(c) == 'q')
      return 2;
    return 3;
  }
  if (isspace(c))
    return 4;
  if (ispunct(c) && c > 'z')
    return 5;
  return 0;
}
