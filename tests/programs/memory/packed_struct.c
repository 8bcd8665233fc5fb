// Members of packed structures are unaligned; their neighbours stay untouched.
// expect: paths = 2
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

struct __attribute__((packed)) header {
  unsigned char kind;
  unsigned length;
  unsigned short check;
};

int main(void) {
  _Static_assert(sizeof(struct header) == 7, "packed");
  struct header h;
  klee_make_symbolic(&h, sizeof h, "h");
  unsigned char kind = h.kind;
  unsigned short check = h.check;
  h.length = 0x01020304;
  assert(h.kind == kind && h.check == check);
  assert(((unsigned char *)&h)[1] == 4 && ((unsigned char *)&h)[4] == 1);
  if (h.kind + h.check == 0x100fe)
    return 1;
  return 0;
}
