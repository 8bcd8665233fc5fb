// Thread-local variables in the only thread.
// expect: paths = 2
// expect: exit-codes 5 6
#include <errno.h>
#include <klee/klee.h>

static _Thread_local int counter = 4;
_Thread_local int zero;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  int *p = &counter;
  *p += zero + 1;
  errno = 33;
  if (x == errno)
    counter++;
  return counter;
}
