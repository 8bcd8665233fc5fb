// A loop that never ends for one input: its path is stopped at the limit and reported, the others finish.
// flags: --max-path-instructions 100000
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  unsigned char start;
  klee_make_symbolic(&start, sizeof start, "start");
  if (start != 77) {
    if (start == 78)
      return 1;
    return 0;
  }
  volatile unsigned char at = 77;
  while (at != 64) //~? instruction-limit main
    at = (unsigned char)(at + 2); //~? instruction-limit main
  return 0;
}
