// klee_range gives begin <= x < end; klee_int any integer.
// expect: exit-codes 3 4 5 9
#include <klee/klee.h>

int main(void) {
  int x = klee_range(3, 6, "x");
  int y = klee_int("y");
  if (y == -77)
    return 9;
  switch (x) {
  case 3:
    return 3;
  case 4:
    return 4;
  case 5:
    return 5;
  }
  return 1;
}
