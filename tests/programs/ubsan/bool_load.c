// A _Bool that holds neither 0 nor 1.
// flags: --ubsan
// opt: 0
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  _Bool flag;
  memcpy(&flag, &x, 1);
  volatile int r = 0;
  if (flag) //~ invalid-load main
    r = 1;
  return r;
}
