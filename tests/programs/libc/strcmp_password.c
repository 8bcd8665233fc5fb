// strcmp against a secret of eight characters: found without guessing.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char text[9];
  klee_make_symbolic(text, sizeof text, "text");
  text[8] = 0;
  if (strcmp(text, "Open-5es") == 0)
    return 1;
  return 0;
}
