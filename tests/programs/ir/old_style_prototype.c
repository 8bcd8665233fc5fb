// A function declared without parameters and called with some, as old C does; and one called through another type.
// expect: paths = 2
// expect: exit-codes 0 1
#include <klee/klee.h>

#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
static int total();

static int call(int (*f)(), int a, short b) { return f(a, b, 3L); }

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (call(total, x, -4) == 1000)
    return 1;
  return 0;
}

static int total(a, b, c) int a, b; long c; {
  return (int)((unsigned)a + (unsigned)b + (unsigned)c);
}
