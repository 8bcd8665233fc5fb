// Chained table lookups (a permutation applied three times) inverted by the solver.
// expect: exit-codes 0 1
#include <klee/klee.h>

static unsigned char permutation[256];

int main(void) {
  for (int i = 0; i < 256; i++)
    permutation[i] = (unsigned char)(i * 167 + 13);
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (permutation[permutation[permutation[x]]] == 42)
    return 1;
  return 0;
}
