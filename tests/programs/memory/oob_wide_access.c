// Four bytes read at the end of an object of six are out of bounds even though the first two of them are inside.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  unsigned char at;
  klee_make_symbolic(&at, sizeof at, "at");
  klee_assume(at == 0 | at == 4);
  volatile char bytes[6] __attribute__((aligned(8))) = {0};
  volatile int *word = (volatile int *)(bytes + at);
  return *word; //~ out-of-bounds-read main
}
