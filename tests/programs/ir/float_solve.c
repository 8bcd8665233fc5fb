// Floating-point constraints with one exact solution each: no rounding slack.
// expect: exit-codes 0 1 2
#include <klee/klee.h>

int main(void) {
  float x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x * 3.0f + 1.0f == 11.5f)
    return 1; // x = 3.5
  if (x + 16777216.0f == 16777220.0f && x != 4.0f)
    return 2; // absorbed digits: several floats round to the same sum
  return 0;
}
