// Initialisers with addresses, offsets and differences, computed before the program starts.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct node {
  const char *name;
  struct node *next;
  int values[3];
};

extern struct node second;
static struct node first = {&"first"[2], &second, {1, 2, 3}};
struct node second = {"second", &first, {4, 5, 6}};

static int *const middle = &second.values[1];
static const ptrdiff_t distance = &first.values[2] - &first.values[0];
static const uintptr_t address = (uintptr_t)&first.values[1];
static int (*const function)(void);
static const char *const words[] = {"alpha", "beta", (const char *)&first.values[0]};
static unsigned char raw[4] = {[1] = 7, [3] = 300 & 255};

static int entry(void) { return 9; }
static int (*const entries[2])(void) = {entry, entry};

int main(void) {
  assert(first.name[0] == 'r' && first.next->name[0] == 's');
  assert(*middle == 5 && middle[-1] == 4);
  assert(distance == 2 && *(int *)address == 2);
  assert(!function && entries[1]() == 9);
  assert(words[1][3] == 'a' && words[2][0] == 1);
  assert(raw[0] == 0 && raw[1] == 7 && raw[3] == 44);
  assert(offsetof(struct node, values[2]) == 24);
  return 0;
}
