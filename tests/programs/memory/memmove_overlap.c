// Overlapping moves in both directions by a symbolic distance.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char by, value;
  klee_make_symbolic(&by, sizeof by, "by");
  klee_make_symbolic(&value, sizeof value, "value");
  klee_assume(by < 4);
  unsigned char a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  a[2] = value;
  memmove(a + by, a, 4);
  assert(a[by + 2] == value);
  assert(a[7] == 7);
  memmove(a, a + by, 4);
  assert(a[2] == value && a[0] == 0 && a[3] == 3);
  return 0;
}
