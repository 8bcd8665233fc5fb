// A table read at a symbolic index is one value, not one path per element; the inverse is solved for.
// expect: paths = 2
// expect: exit-codes 0 1
#include <klee/klee.h>

static const unsigned char table[16] = {99, 124, 119, 123, 242, 107, 111, 197,
                                        48, 1,   103, 43,  254, 215, 171, 118};

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 16);
  if (table[i] == 197)
    return 1;
  return 0;
}
