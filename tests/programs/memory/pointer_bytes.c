// A pointer copied byte by byte, in any order, still points.
// expect: paths = 2
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

static int secret;

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  secret = x;
  int *from = &secret, *to = 0;
  volatile unsigned char *source = (unsigned char *)&from, *target = (unsigned char *)&to;
  for (int i = sizeof from - 1; i >= 0; i--)
    target[i] = source[i];
  assert(to == &secret);
  if (*to == 31337)
    return 1;
  return 0;
}
