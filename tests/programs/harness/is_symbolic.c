// Whether a value depends on an input; natively nothing does.
// native: skip
// expect: exit-codes 0
#include <forkwise.h>

int main(void) {
  int x = forkwise_int("x"), y = 3;
  if (!forkwise_is_symbolic((uintptr_t)x) || forkwise_is_symbolic((uintptr_t)y))
    return 1;
  return forkwise_is_replay();
}
