// The classic: strcpy into a buffer that is one too small.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char text[5];
  klee_make_symbolic(text, sizeof text, "text");
  text[4] = 0;
  char *copy = malloc(4);
  if (!copy)
    return 9;
  strcpy(copy, text); //~ out-of-bounds-write main via strcpy
  volatile char first = copy[0];
  (void)first;
  free(copy);
  return 0;
}
