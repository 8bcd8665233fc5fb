// _BitInt of odd widths: below a byte, just over a word, and several words long.
// expect: exit-codes 0 1 2 3
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  unsigned long long y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  unsigned _BitInt(7) seven = (unsigned _BitInt(7))x;
  seven += 100;
  assert((unsigned)seven == ((x + 100u) & 127));
  _BitInt(65) sixty_five = (_BitInt(65))(long long)y * 2;
  assert((unsigned long long)(sixty_five >> 1) == y);
  unsigned _BitInt(129) big = (unsigned _BitInt(129))y << 65;
  assert((unsigned long long)(big >> 65) == y);
  unsigned _BitInt(256) huge = (unsigned _BitInt(256))y;
  huge = (huge << 192) + x;
  if (seven == 5)
    return 1;
  if (sixty_five < 0 && (y & 0xffff) == 0x1234)
    return 2;
  if ((unsigned char)huge == 77 && (unsigned long long)(huge >> 192) == 88)
    return 3;
  return 0;
}
