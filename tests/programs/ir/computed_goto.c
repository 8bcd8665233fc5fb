// A bytecode interpreter with labels as values; the program it runs is symbolic.
// expect: exit-codes 0 1 2 3 4 9
#include <klee/klee.h>

int main(void) {
  unsigned char code[3];
  klee_make_symbolic(code, sizeof code, "code");
  for (int i = 0; i < 3; i++)
    klee_assume(code[i] < 3);
  static const void *const labels[] = {&&increment, &&twice, &&stop};
  int value = 0, at = 0;
  goto *labels[code[at]];
increment:
  value++;
  goto next;
twice:
  value *= 2;
next:
  if (++at == 3)
    return value;
  goto *labels[code[at]];
stop:
  return value == 0 ? 9 : value;
}
