// Library errors set errno; success leaves it alone.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void) {
  errno = 0;
  free(malloc(10));
  assert(errno == 0);
  volatile long big = 0x7fffffffffffffff;
  void *volatile p = malloc((size_t)big);
  // clang believes that malloc leaves errno alone.
  __asm__ volatile("" ::: "memory");
  assert(p == NULL && errno == ENOMEM);
  return 0;
}
