// A dense switch with fall-through and a default in the middle.
// expect: exit-codes 1 2 4 7 8 9 99
// expect: coverage full
#include <klee/klee.h>

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  int r = 0;
  switch (c) {
  case 0:
    r += 3; // falls through
  case 1:
    r += 3; // falls through
  case 2:
    r += 1;
    break;
  case 3:
    r = 2;
    break;
  default:
    r = 99;
    break;
  case 5:
  case 6:
    r = 8;
    break;
  case 7:
    r = 9;
    break;
  }
  return r;
}
