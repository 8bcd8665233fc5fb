// An assumption that no input of a path meets ends that path without a bug and without a test.
// expect: tests = 1
// expect: exit-codes 3
#include <forkwise.h>

int main(void) {
  int x = forkwise_int("x");
  if (x > 10) {
    forkwise_assume(x < 5);
    return 4;
  }
  return 3;
}
