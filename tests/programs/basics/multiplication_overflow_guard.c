// An overflow check by division, as allocators have it: wrapping products never pass it.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned short count, size;
  klee_make_symbolic(&count, sizeof count, "count");
  klee_make_symbolic(&size, sizeof size, "size");
  unsigned short bytes = (unsigned short)(count * size);
  if (size != 0 && (unsigned)count > 65535u / size)
    return 1;
  assert(bytes == (unsigned)count * size);
  return 0;
}
