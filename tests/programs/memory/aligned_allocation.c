// aligned_alloc and posix_memalign give aligned blocks with exact bounds.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 64);
  volatile char *p = aligned_alloc(64, 64);
  assert(p && (uintptr_t)p % 64 == 0);
  void *q = 0;
  assert(posix_memalign(&q, 4096, 100) == 0);
  assert((uintptr_t)q % 4096 == 0);
  p[i] = 1; //~ out-of-bounds-write main
  free((void *)p);
  free(q);
  return 0;
}
