// Wide and UTF-16/32 literals are arrays of wider elements.
// expect: paths = 2
// expect: exit-codes 0 1
#include <klee/klee.h>
#include <uchar.h>
#include <wchar.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  static const wchar_t wide[] = L"a\u00e9\u20ac\U0001f600";
  static const char16_t pairs[] = u"\U0001f600";
  if (wide[i] == 0x1f600 && pairs[0] == 0xd83d && pairs[1] == 0xde00)
    return 1;
  return 0;
}
