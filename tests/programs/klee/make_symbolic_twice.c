// Making the same object symbolic again gives a fresh input: old and new value may differ.
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "first");
  int old = x;
  klee_make_symbolic(&x, sizeof x, "second");
  if (old == 3 && x == 4)
    return 1;
  return 0;
}
