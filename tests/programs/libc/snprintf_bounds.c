// snprintf never passes its limit; sprintf does.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  char small[4];
  int length = snprintf(small, sizeof small, "%d", 12345);
  assert(length == 5 && strcmp(small, "123") == 0);
  if (n == 217)
    sprintf(small, "%d", 1000 + (n - 217)); //~ out-of-bounds-write main via sprintf
  return 0;
}
