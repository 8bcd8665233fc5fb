// Printing a symbolic number: the output of each test is that of its own input.
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  signed char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 0) {
    printf("negative: %d\n", x);
    return 1;
  }
  printf("value %d\n", x);
  return 0;
}
