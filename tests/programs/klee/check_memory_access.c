// klee_check_memory_access reports a range that is not wholly inside an object.
// expect: exit-codes 0
// native: skip
#include <klee/klee.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n >= 7 & n <= 9);
  char bytes[8] = {0};
  if (n == 7)
    klee_check_memory_access(bytes, 7);
  if (n == 8)
    klee_check_memory_access(bytes, 8);
  if (n == 9)
    klee_check_memory_access(bytes, 9); //~ out-of-bounds-read|out-of-bounds-write main
  return 0;
}
