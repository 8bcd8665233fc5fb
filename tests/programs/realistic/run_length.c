// Run-length decoding: the output check looks at the start of a run, not at its end.
// expect: exit-codes 0 1
#include <klee/klee.h>

static volatile unsigned char out[8];

int main(void) {
  unsigned char in[4];
  klee_make_symbolic(in, sizeof in, "in");
  unsigned at = 0;
  for (int i = 0; i < 4; i += 2) {
    unsigned char run = in[i], byte = in[i + 1];
    if (run > 5)
      return 1;
    if (at >= sizeof out)
      return 1;
    for (unsigned k = 0; k < run; k++)
      out[at++] = byte; //~ out-of-bounds-write main
  }
  return 0;
}
