// __builtin_object_size and dynamic_object_size never lie upwards.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 10);
  char buffer[10];
  size_t whole = __builtin_object_size(buffer, 0);
  assert(whole == 10);
  size_t rest = __builtin_object_size(buffer + i, 0);
  assert(rest >= (size_t)(10 - i));
  char *p = malloc(20);
  if (!p)
    return 9;
  size_t heap = __builtin_object_size(p, 0);
  assert(heap == 20 || heap == (size_t)-1);
  size_t dynamic = __builtin_dynamic_object_size(p + i, 0);
  assert(dynamic >= (size_t)(20 - i));
  free(p);
  return 0;
}
