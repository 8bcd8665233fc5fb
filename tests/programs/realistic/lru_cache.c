// A least-recently-used cache of two entries; looking up what was just evicted uses freed memory.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

struct entry {
  int key;
  volatile int hits;
  struct entry *next;
};

static struct entry *head, *last_found;
static int size;

static struct entry *lookup(int key) {
  if (last_found && last_found->key == key) //~ use-after-free lookup
    return last_found;
  for (struct entry *e = head; e; e = e->next)
    if (e->key == key)
      return last_found = e;
  return 0;
}

static void insert(int key) {
  struct entry *e = malloc(sizeof *e);
  if (!e)
    exit(9);
  e->key = key;
  e->hits = 0;
  e->next = head;
  head = e;
  if (++size > 2) {
    struct entry *second = head->next;
    free(second->next);
    second->next = 0;
    size--;
  }
}

int main(void) {
  unsigned char keys[5];
  klee_make_symbolic(keys, sizeof keys, "keys");
  for (int i = 0; i < 5; i++) {
    struct entry *e = lookup(keys[i]);
    if (e)
      e->hits++;
    else
      insert(keys[i]);
  }
  return 0;
}
