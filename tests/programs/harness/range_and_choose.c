// Ranges and choices do not fork by themselves.
// expect: paths = 4
// expect: exit-codes 0 1 2 3
#include <forkwise.h>

int main(void) {
  int x = forkwise_range(-5, 5, "x");
  forkwise_assert((x >= -5) & (x < 5));
  size_t pick = forkwise_choose(4);
  switch (pick) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return 2;
  default:
    forkwise_assert(pick == 3);
    return 3;
  }
}
