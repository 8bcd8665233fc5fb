// Encoding and decoding three symbolic bytes gives them back, without one fork.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static unsigned char digits[128];

int main(void) {
  unsigned char in[3], text[4], out[3];
  klee_make_symbolic(in, sizeof in, "in");
  for (int i = 0; i < 64; i++)
    digits[(int)alphabet[i]] = (unsigned char)i;
  unsigned group = (unsigned)in[0] << 16 | (unsigned)in[1] << 8 | in[2];
  for (int i = 0; i < 4; i++)
    text[i] = (unsigned char)alphabet[group >> (18 - 6 * i) & 63];
  unsigned back = 0;
  for (int i = 0; i < 4; i++)
    back = back << 6 | digits[text[i]];
  out[0] = (unsigned char)(back >> 16);
  out[1] = (unsigned char)(back >> 8);
  out[2] = (unsigned char)back;
  assert(memcmp(in, out, 3) == 0);
  return 0;
}
