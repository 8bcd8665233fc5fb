// A UTF-8 decoder that accepts overlong forms: the assertion finds one.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

static int decode(const unsigned char *s, unsigned *code) {
  if (s[0] < 0x80) {
    *code = s[0];
    return 1;
  }
  if ((s[0] & 0xe0) == 0xc0 && (s[1] & 0xc0) == 0x80) {
    *code = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
    return 2;
  }
  if ((s[0] & 0xf0) == 0xe0 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80) {
    *code = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    return *code < 0x800 ? 0 : 3;
  }
  return 0;
}

int main(void) {
  unsigned char bytes[3];
  klee_make_symbolic(bytes, sizeof bytes, "bytes");
  unsigned code = 0;
  int length = decode(bytes, &code);
  if (length == 0)
    return 1;
  if (length == 3)
    assert(code >= 0x800 && code <= 0xffff);
  if (length == 2)
    assert(code >= 0x80); //~ assertion-failure main
  return 0;
}
