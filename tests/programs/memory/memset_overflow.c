// memset with a size that is checked against the wrong limit.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <string.h>

static char target[10];

int main(void) {
  unsigned char size;
  klee_make_symbolic(&size, sizeof size, "size");
  if (size > 12)
    return 1;
  if (size < 9)
    return 1;
  memset(target, 'z', size); //~ out-of-bounds-write main
  return target[0] == 'z' ? 0 : 2;
}
