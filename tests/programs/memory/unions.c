// The same bytes read through the members of a union.
// expect: exit-codes 0 1 2
#include <assert.h>
#include <klee/klee.h>

union view {
  unsigned word;
  unsigned short halves[2];
  unsigned char bytes[4];
  struct {
    unsigned low : 12, high : 20;
  } fields;
};

int main(void) {
  union view v;
  klee_make_symbolic(&v, sizeof v, "v");
  assert(v.bytes[0] == (v.word & 0xff));
  assert(v.halves[1] == v.word >> 16);
  assert(v.fields.high == v.word >> 12);
  if (v.halves[0] == 0xbeef && v.bytes[3] == 0xde)
    return 1;
  if (v.fields.low == 0xabc && v.bytes[1] == 0x1a)
    return 2;
  return 0;
}
