// A global table and a negative index.
// expect: exit-codes 0
#include <klee/klee.h>

volatile int table[5] = {10, 11, 12, 13, 14};

int main(void) {
  signed char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 5);
  klee_assume(i >= -3);
  volatile int value = table[i]; //~ out-of-bounds-read main
  return value < 10 || value > 14;
}
