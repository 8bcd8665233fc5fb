// Retrying through longjmp: the number of retries is an input.
// expect: paths = 5
// expect: exit-codes 0 1 2 3 4
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf again;
static volatile int tries;

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 4);
  setjmp(again);
  if (tries < n) {
    tries++;
    longjmp(again, 1);
  }
  return tries;
}
