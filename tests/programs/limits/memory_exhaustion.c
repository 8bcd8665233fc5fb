// Allocation without an end: the path stops, the machine does not.
// flags: --max-memory 400 --no-replay
// native: skip
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x != 7)
    return 0;
  for (;;) {
    char *volatile p = malloc(1 << 20); //~? memory-exhaustion main
    if (!p)
      return 0;
    memset(p, 1, 1 << 20); //~? memory-exhaustion main
  }
}
