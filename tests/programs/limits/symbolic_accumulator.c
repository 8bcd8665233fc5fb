// The same with a symbolic step: the value grows by a symbolic amount in every round, and each round asks about it.
// flags: --max-path-instructions 10000
// expect: exit-codes 0
#include <klee/klee.h>

int main(void) {
  unsigned char step;
  klee_make_symbolic(&step, sizeof step, "step");
  volatile unsigned char at = 0;
  if (step != 0 && step != 128)
    return 0;
  while (at != 64) //~? instruction-limit main
    at = (unsigned char)(at + step); //~? instruction-limit main
  return 0;
}
