// Bases, prefixes, overflow and errno of the strto* family, concrete.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int main(void) {
  char *end;
  assert(strtoul("0x1fz", &end, 0) == 31 && *end == 'z');
  assert(strtol("-0777", &end, 0) == -511 && *end == 0);
  assert(strtol("zz", &end, 36) == 1295);
  errno = 0;
  assert(strtol("99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE);
  assert(strtod("1.5e3x", &end) == 1500.0 && *end == 'x');
  assert(strtof("0x1.8p1", &end) == 3.0f);
  assert(strtod("1e-310", &end) > 0);
  return 0;
}
