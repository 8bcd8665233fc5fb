// Division and remainder by zero are found without any compiled-in check.
// expect: exit-codes 0 1 2
#include <klee/klee.h>

int main(void) {
  int a, b, kind;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_make_symbolic(&kind, sizeof kind, "kind");
  volatile unsigned r = 0;
  if (kind == 0)
    r = 100u / (unsigned)b; //~ division-by-zero main
  else if (kind == 1)
    r = (unsigned)a % (unsigned)(b - 4); //~ division-by-zero main
  else
    return 2;
  if (r == 10)
    return 1;
  return 0;
}
