// strlen runs off a buffer that holds no terminator.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char text[3];
  klee_make_symbolic(text, sizeof text, "text");
  volatile size_t length = strlen(text); //~ out-of-bounds-read main via strlen
  return (int)length;
}
