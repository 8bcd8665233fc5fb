// NDEBUG switches assert off, and not forkwise_assert.
// expect: exit-codes 0
#define NDEBUG
#include <assert.h>
#include <forkwise.h>

int main(void) {
  int x = forkwise_int("x");
  assert(x != 1);
  forkwise_assert(x != 2); //~ assertion-failure main
  (void)x;
  return 0;
}
