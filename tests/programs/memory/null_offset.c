// A member far into a structure behind a null pointer is still a null dereference.
// expect: exit-codes 0
#include <klee/klee.h>

struct wide {
  char pad[2000];
  volatile int member;
};

static struct wide object;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct wide *volatile p = x == 99 ? 0 : &object;
  p->member = 4; //~ null-dereference main
  return 0;
}
