// The interface of forkwise.h: inputs, assumptions, assertions.
// expect: exit-codes 0 1
#include <forkwise.h>

int main(void) {
  unsigned char bytes[3];
  forkwise_symbolic(bytes, sizeof bytes, "bytes");
  forkwise_assume(bytes[0] > bytes[1]);
  forkwise_assert(bytes[0] != 0);
  if (bytes[0] - bytes[1] == 100 && bytes[2] == bytes[0])
    return 1;
  forkwise_assert(bytes[2] != 200 || bytes[1] != 3); //~ assertion-failure main
  return 0;
}
