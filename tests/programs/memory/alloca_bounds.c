// A block from alloca has exact bounds.
// expect: exit-codes 1
#include <alloca.h>
#include <klee/klee.h>

int main(void) {
  unsigned char n, i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(n >= 1 & n <= 4);
  klee_assume(i <= 4);
  volatile char *p = alloca(n);
  for (int k = 0; k < n; k++)
    p[k] = 1;
  return p[i]; //~ out-of-bounds-read main
}
