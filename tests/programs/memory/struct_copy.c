// Structures assigned, passed and returned by value keep symbolic members, padding or not.
// expect: paths = 2
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

struct inner {
  char tag;
  long value;
};
struct outer {
  struct inner items[3];
  short last;
};

static struct outer rotate(struct outer o) {
  struct inner first = o.items[0];
  o.items[0] = o.items[1];
  o.items[1] = o.items[2];
  o.items[2] = first;
  return o;
}

int main(void) {
  long x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct outer o = {{{'a', 1}, {'b', x}, {'c', 3}}, 9};
  struct outer r = rotate(o);
  assert(o.items[1].value == x && r.items[0].value == x);
  assert(r.items[2].tag == 'a' && r.last == 9);
  if (r.items[0].value == 0x123456789aL)
    return 1;
  return 0;
}
