// A data structure under a symbolic sequence of operations: an array that grows by realloc while someone still holds a
// pointer into it. The use after free needs three operations in the right order.
//
//     forkwise run examples/inventory.c
#include <forkwise.h>
#include <stdlib.h>

struct item {
  int id, count;
};

static struct item *items;
static unsigned used, room;

static struct item *add(int id) {
  if (used == room) {
    room = room ? room * 2 : 1;
    items = realloc(items, room * sizeof *items);
    if (!items)
      exit(9);
  }
  items[used] = (struct item){id, 1};
  return &items[used++];
}

int main(void) {
  unsigned char operations[4];
  forkwise_symbolic(operations, sizeof operations, "operations");
  struct item *favourite = 0;
  for (int i = 0; i < 4; i++) {
    switch (operations[i]) {
    case 'a':
      add(i);
      break;
    case 'f':
      if (used)
        favourite = &items[0];
      break;
    case 'u':
      if (favourite)
        favourite->count++;
      break;
    default:
      free(items);
      return 1;
    }
  }
  free(items);
  return 0;
}
