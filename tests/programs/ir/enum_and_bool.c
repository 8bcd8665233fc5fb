// _Bool in memory is one bit in a byte; enums are integers.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <stdbool.h>

enum colour { RED, GREEN = 5, BLUE };

struct state {
  bool ready;
  enum colour colour;
};

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct state s = {x > 3, x == 9 ? BLUE : GREEN};
  bool other = !s.ready;
  if (s.colour == BLUE && !other)
    return 2;
  if (s.ready)
    return 1;
  return 0;
}
