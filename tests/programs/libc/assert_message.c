// A failed assertion is one bug at the line of the assert.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>

static int checked(int x) {
  assert(x != 0x1234567); //~ assertion-failure checked
  return 0;
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  return checked(x);
}
