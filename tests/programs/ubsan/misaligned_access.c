// x86 tolerates it, the standard does not.
// flags: --ubsan
// expect: exit-codes 0
#include <klee/klee.h>

static char bytes[16] __attribute__((aligned(8)));

int main(void) {
  unsigned char at;
  klee_make_symbolic(&at, sizeof at, "at");
  klee_assume(at == 4 | at == 6);
  int *p = (int *)(bytes + at);
  *p = 3; //~ misaligned-pointer|null-or-misaligned main
  __asm__ volatile("" ::: "memory");
  return 0;
}
