// A flexible array member ends where its block ends.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

struct packet {
  unsigned char length;
  int words[];
};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  struct packet *p = calloc(1, sizeof *p + 3 * sizeof(int));
  if (!p)
    return 9;
  p->length = 3;
  volatile int *words = p->words;
  words[i] = 8; //~ out-of-bounds-write main
  return 0;
}
