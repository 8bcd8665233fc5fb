// A small-buffer optimisation that frees the inline buffer when the size is exactly the limit.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char size;
  klee_make_symbolic(&size, sizeof size, "size");
  char inline_buffer[16];
  char *volatile p = size > 16 ? malloc(32) : inline_buffer;
  if (size >= 16)
    free(p); //~ free-of-stack|invalid-free main
  return 0;
}
