// Vector types: element-wise arithmetic, comparison masks, shuffles, symbolic elements.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v8 __attribute__((vector_size(8)));

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  v4 a = {1, 2, 3, x}, b = {10, 20, 30, 40};
  v4 sum = a + b, product = a * b;
  assert(sum[0] == 11 && sum[2] == 33 && product[1] == 40);
  v4 mask = a < b;
  assert(mask[0] == -1);
  v4 reversed = __builtin_shufflevector(a, b, 3, 2, 1, 4);
  assert(reversed[0] == x && reversed[3] == 10);
  v8 bytes = {250, 251, 252, 253, 254, 255, 0, 1};
  bytes += 5;
  assert(bytes[0] == 255 && bytes[1] == 0 && bytes[5] == 4);
  v4 shifted = a << 2;
  v4 chosen = (mask & a) | (~mask & b);
  assert(chosen[1] == 2);
  if (sum[3] == 1040 && shifted[3] == 4000)
    return 1;
  return 0;
}
