// A loop that never ends for two inputs: these paths are stopped at their limit and reported once, the others finish.
// flags: --max-path-instructions 100000
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  unsigned char step;
  klee_make_symbolic(&step, sizeof step, "step");
  volatile unsigned char at = 0;
  unsigned jump;
  if (step == 0)
    jump = 0;
  else if (step == 128)
    jump = 128;
  else
    return 0;
  while (at != 64) //~? instruction-limit main
    at = (unsigned char)(at + jump); //~? instruction-limit main
  return 0;
}
