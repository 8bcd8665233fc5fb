// A base64 decoder with a table indexed by signed characters: bytes above 127 read before the table.
// expect: exit-codes 0 1
#include <klee/klee.h>

static signed char digits[256];

static void prepare(void) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 256; i++)
    digits[i] = -1;
  for (int i = 0; i < 64; i++)
    digits[(unsigned char)alphabet[i]] = (signed char)i;
}

static int decode(const char *text, unsigned char *out) {
  unsigned group = 0;
  for (int i = 0; i < 4; i++) {
    volatile signed char digit = digits[(int)text[i]]; //~ out-of-bounds-read decode
    if (digit < 0)
      return 1;
    group = group << 6 | (unsigned)digit;
  }
  out[0] = (unsigned char)(group >> 16);
  out[1] = (unsigned char)(group >> 8);
  out[2] = (unsigned char)group;
  return 0;
}

int main(void) {
  char text[4];
  unsigned char out[3];
  klee_make_symbolic(text, sizeof text, "text");
  prepare();
  return decode(text, out);
}
