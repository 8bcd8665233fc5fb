// An instruction budget ends exploration, and every unfinished path still gives a test.
// flags: --max-instructions 20000
// expect: stop instructions
#include <klee/klee.h>

int main(void) {
  unsigned char x[40];
  klee_make_symbolic(x, sizeof x, "x");
  volatile int n = 0;
  for (int i = 0; i < 40; i++)
    if (x[i] > 10)
      n++;
  return n;
}
