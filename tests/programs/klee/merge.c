// Paths between klee_open_merge and klee_close_merge may be merged; the result is right either way.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int r;
  klee_open_merge();
  if (x > 128)
    r = 10;
  else
    r = 20;
  klee_close_merge();
  assert(r == 10 || r == 20);
  if (r == 10)
    return 1;
  return 0;
}
