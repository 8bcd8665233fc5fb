// setlocale, getenv and errno text in the empty environment of a harness.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  assert(setlocale(LC_ALL, "C") != NULL);
  assert(localeconv()->decimal_point[0] == '.');
  assert(getenv("FORKWISE_NO_SUCH_VARIABLE") == NULL);
  assert(setenv("FORKWISE_OWN", "value", 1) == 0);
  assert(strcmp(getenv("FORKWISE_OWN"), "value") == 0);
  assert(strlen(strerror(ENOENT)) > 0);
  return 0;
}
