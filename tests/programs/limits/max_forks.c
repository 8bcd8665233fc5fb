// After the allowed number of forks, each path takes one side only: at most one more path than forks.
// flags: --max-forks 7
// expect: paths = 8
// opt: 0
#include <klee/klee.h>

int main(void) {
  unsigned char x[12];
  klee_make_symbolic(x, sizeof x, "x");
  volatile int n = 0;
  for (int i = 0; i < 12; i++)
    if (x[i] > 10)
      n++;
  return n;
}
