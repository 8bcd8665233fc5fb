// Pointers may walk backwards inside an object; one step too far is a bug.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  signed char back;
  klee_make_symbolic(&back, sizeof back, "back");
  klee_assume(back <= 0);
  klee_assume(back >= -5);
  volatile int a[6] = {0, 1, 2, 3, 4, 5};
  volatile int *middle = &a[4];
  int value = middle[back]; //~ out-of-bounds-read main
  return value != 4 + back;
}
