// An explosion of paths is cut off at the number of tests asked for.
// flags: --max-tests 20
// expect: stop tests
#include <klee/klee.h>

int main(void) {
  unsigned char x[24];
  klee_make_symbolic(x, sizeof x, "x");
  int n = 0;
  for (int i = 0; i < 24; i++)
    if (x[i] > 10) {
      n++;
      __asm__ volatile("" : "+r"(n));
    }
  return n;
}
