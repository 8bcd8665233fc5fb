// Overflow out of the last member of a heap structure.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

struct message {
  int length;
  char body[12];
};

int main(void) {
  unsigned char length;
  klee_make_symbolic(&length, sizeof length, "length");
  klee_assume(length <= 13);
  volatile struct message *m = malloc(sizeof *m);
  if (!m)
    return 9;
  m->length = length;
  for (int i = 0; i < m->length; i++)
    m->body[i] = 'x'; //~ out-of-bounds-write main
  free((void *)m);
  return 0;
}
