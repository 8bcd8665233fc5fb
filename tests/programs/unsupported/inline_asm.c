// Assembly the engine does not know is an error on the path that meets it; the others go on.
// expect: exit-codes 1 2
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 10)
    return 1;
  if (x == 99) {
    unsigned a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)); //~ unsupported main
    return (int)(b & 1);
  }
  return 2;
}
