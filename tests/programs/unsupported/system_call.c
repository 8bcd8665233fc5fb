// A system call outside the model is an error of the path, or an honest failure, never a guess.
// expect: exit-codes 0
#define _GNU_SOURCE
#include <klee/klee.h>
#include <unistd.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 3) {
    long r = syscall(999999);
    return r == -1 ? 0 : 1;
  }
  return 0;
}
