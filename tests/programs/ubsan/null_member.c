// Access through a null pointer, found by the check or by the engine, at the same line.
// flags: --ubsan
// expect: exit-codes 0
#include <klee/klee.h>

struct point {
  volatile int x, y;
};
static struct point origin;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct point *volatile p = x == 9 ? 0 : &origin;
  p->y = 1; //~ null-pointer-use|null-or-misaligned|null-dereference main
  return 0;
}
