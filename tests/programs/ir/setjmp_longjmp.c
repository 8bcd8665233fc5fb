// longjmp unwinds several frames; setjmp returns a second time with the value; volatile locals keep their changes.
// expect: exit-codes 10 15 16
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf place;

static void __attribute__((noinline)) deeper(int n, unsigned char x) {
  if (n > 0)
    deeper(n - 1, x);
  else if (x > 200)
    longjmp(place, 5);
  else if (x > 100)
    longjmp(place, 6);
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  volatile int before = 1;
  int code = setjmp(place);
  if (code != 0)
    return before + code;
  before = 10;
  deeper(3, x);
  return before;
}
