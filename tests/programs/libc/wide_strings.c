// Multibyte and wide characters in the C locale's ASCII part.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
  wchar_t wide[8];
  assert(mbstowcs(wide, "wide", 8) == 4);
  assert(wcscmp(wide, L"wide") == 0 && wcslen(wide) == 4);
  assert(wcschr(wide, L'd') == wide + 2);
  return 0;
}
