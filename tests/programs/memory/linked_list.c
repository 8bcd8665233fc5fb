// A list built from symbolic values, then reversed; what was first is last.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  struct node *next;
  int value;
};

int main(void) {
  int values[4];
  unsigned char n;
  klee_make_symbolic(values, sizeof values, "values");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 4);
  struct node *list = 0;
  for (int i = 0; i < n; i++) {
    struct node *item = malloc(sizeof *item);
    if (!item)
      return 9;
    item->value = values[i];
    item->next = list;
    list = item;
  }
  struct node *reversed = 0;
  while (list) {
    struct node *next = list->next;
    list->next = reversed;
    reversed = list;
    list = next;
  }
  for (int i = 0; i < n; i++) {
    assert(reversed->value == values[i]);
    struct node *next = reversed->next;
    free(reversed);
    reversed = next;
  }
  assert(!reversed);
  return 0;
}
