// The block is freed on one path only; reading it afterwards is a bug on that path.
// expect: paths = 2
// expect: exit-codes 7
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int early;
  klee_make_symbolic(&early, sizeof early, "early");
  volatile int *p = malloc(sizeof *p);
  if (!p)
    return 9;
  *p = 7;
  if (early == 12345)
    free((void *)p);
  return *p; //~ use-after-free main
}
