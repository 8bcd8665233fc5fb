// A loop that never ends for one input: the path is stopped at its limit and reported, the others finish.
// flags: --max-path-instructions 100000
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  unsigned char step;
  klee_make_symbolic(&step, sizeof step, "step");
  volatile unsigned char at = 0;
  if (step != 0 && step != 128)
    return 0;
  while (at != 64) //~? instruction-limit main
    at = (unsigned char)(at + step);
  return 0;
}
