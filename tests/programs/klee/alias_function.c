// klee_alias_function replaces one function by another from then on.
// native: skip
// opt: 0
// expect: exit-codes 7
#include <klee/klee.h>

int slow(void) { return 1; }
int replacement(void) { return 7; }

int main(void) {
  klee_alias_function("slow", "replacement");
  return slow();
}
