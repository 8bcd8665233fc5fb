// exit runs the handlers in reverse order, _Exit runs none.
// expect: exit-codes 3 4
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static void first(void) { printf("first\n"); }
static void second(void) { printf("second "); }

int main(void) {
  int hard;
  klee_make_symbolic(&hard, sizeof hard, "hard");
  atexit(first);
  atexit(second);
  if (hard == 1)
    _Exit(3);
  exit(4);
}
