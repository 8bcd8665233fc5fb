// _Generic, compound literals, designated initialisers, static assertions: what C11 adds.
// expect: paths = 2
// expect: exit-codes 12 112
#include <klee/klee.h>

#define KIND(x) _Generic((x), int: 1, long: 2, double: 3, char *: 4, default: 5)

struct point {
  int x, y;
};

static int measure(const struct point *p) { return p->x + p->y; }

int main(void) {
  int v;
  klee_make_symbolic(&v, sizeof v, "v");
  _Static_assert(KIND(1) == 1, "int");
  int sum = KIND(1L) + KIND(2.0) + KIND((char *)0);
  int table[] = {[3] = 1, [1] = 2};
  sum += table[0] + table[1] + table[2] + table[3];
  if (measure(&(struct point){.y = v, .x = 2}) == 10)
    return sum + 100;
  return sum;
}
