// Large structures by value: hidden pointers in and out, and copies that do not share.
// expect: paths = 2
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

struct matrix {
  long cell[4][4];
};

static struct matrix multiply(struct matrix a, struct matrix b) {
  struct matrix r = {0};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++)
        r.cell[i][j] += a.cell[i][k] * b.cell[k][j];
  a.cell[0][0] = -1;
  return r;
}

int main(void) {
  short x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct matrix m = {{{1, 2, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, x, 1}}};
  struct matrix square = multiply(m, m);
  assert(m.cell[0][0] == 1 && square.cell[0][1] == 4);
  if (square.cell[3][2] == 2468)
    return 1;
  return 0;
}
