// memcmp against a key: the key is found, and order follows unsigned bytes.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  int order = memcmp(text, "k\xf0y!", 4);
  if (order == 0)
    return 0;
  if (order < 0)
    return 1;
  return 2;
}
