// Values that merge: swaps through phis, nested selects, a loop that carries two values around.
// expect: exit-codes 1 2 3 5 8 13 21 34
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 8);
  int a = 1, b = 1;
  for (int i = 0; i < n; i++) {
    int t = a;
    a = b;
    b += t;
  }
  return b;
}
