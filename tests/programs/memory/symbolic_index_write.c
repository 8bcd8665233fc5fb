// A write at a symbolic index is seen by later reads at concrete and symbolic indices.
// expect: exit-codes 0 1 2
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < 8 & j < 8);
  unsigned char a[8] = {0};
  a[i] = 50;
  a[j] = (unsigned char)(a[j] + 1);
  int sum = 0;
  for (int k = 0; k < 8; k++)
    sum += a[k];
  assert(sum == 51);
  if (a[3] == 51)
    return 1;
  if (a[i] == 51) {
    assert(i == j);
    return 2;
  }
  return 0;
}
