// Vectors of floats and conversions between vector types.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>

typedef float v4f __attribute__((vector_size(16)));
typedef int v4i __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));

int main(void) {
  volatile float half = 0.5f;
  v4f a = {1, 2, 3, 4};
  v4f b = a * half + (v4f){0.25f, 0.25f, 0.25f, 0.25f};
  assert(b[0] == 0.75f && b[3] == 2.25f);
  v4i i = __builtin_convertvector(b * 4, v4i);
  assert(i[0] == 3 && i[1] == 5 && i[3] == 9);
  v4i bits = (v4i)a;
  assert(bits[0] == 0x3f800000);
  v2d d = {half, -half};
  assert(__builtin_reduce_add((v4i){1, 2, 3, 4}) == 10);
  return (int)(d[0] + d[1]);
}
