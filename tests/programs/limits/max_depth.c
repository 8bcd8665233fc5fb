// Deeper paths than the limit are not followed.
// flags: --max-depth 3
// opt: 0
#include <klee/klee.h>

int main(void) {
  unsigned char x[10];
  klee_make_symbolic(x, sizeof x, "x");
  volatile int n = 0;
  for (int i = 0; i < 10; i++)
    if (x[i] == i)
      n++;
  if (n == 10)
    __builtin_trap();
  return n;
}
