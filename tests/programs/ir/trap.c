// __builtin_trap ends the program like abort.
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 0x7eadbeef)
    __builtin_trap(); //~ trap|abort main
  return 0;
}
