// Pages of a map have rights: writing to a read-only one and reading an unmapped one are faults.
// expect: exit-codes 0
#include <klee/klee.h>
#include <sys/mman.h>

int main(void) {
  unsigned char x;
  char *p = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return 1;
  klee_make_symbolic(&x, sizeof x, "x");
  p[4096] = 7;
  if (mprotect(p, 4096, PROT_READ) || munmap(p + 2 * 4096, 4096))
    return 2;
  if (p[0] + p[4096] != 7)
    return 3;
  if (x == 1)
    p[5] = 1; //~ write-to-constant main
  if (x == 2)
    return p[2 * 4096]; //~ out-of-bounds-read main
  return 0;
}
