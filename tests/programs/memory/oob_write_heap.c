// strlen without room for the terminator, on the heap.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

static volatile char *copy(const char *text, int n) {
  int length = 0;
  while (length < n && text[length])
    length++;
  volatile char *result = malloc(length ? length : 1);
  if (!result)
    exit(9);
  for (int i = 0; i < length; i++)
    result[i] = text[i];
  result[length] = 0; //~ out-of-bounds-write copy
  return result;
}

int main(void) {
  char text[3];
  klee_make_symbolic(text, sizeof text, "text");
  free((void *)copy(text, 3));
  return 0;
}
