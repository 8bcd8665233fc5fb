// Inserting and extracting at a symbolic lane.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

typedef short v8 __attribute__((vector_size(16)));

int main(void) {
  unsigned char lane;
  klee_make_symbolic(&lane, sizeof lane, "lane");
  klee_assume(lane < 8);
  v8 v = {0, 10, 20, 30, 40, 50, 60, 70};
  v[lane] += 5;
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += v[i];
  assert(sum == 285);
  if (v[lane] == 65)
    return 1;
  return 0;
}
