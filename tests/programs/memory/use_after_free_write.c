// A list node is freed, and its neighbour still links to it.
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  struct node *next;
  volatile int value;
};

static struct node *push(struct node *head, int value) {
  struct node *n = malloc(sizeof *n);
  if (!n)
    exit(9);
  n->next = head;
  n->value = value;
  return n;
}

int main(void) {
  unsigned char drop;
  klee_make_symbolic(&drop, sizeof drop, "drop");
  struct node *head = 0;
  for (int i = 0; i < 3; i++)
    head = push(head, i);
  struct node *victim = head;
  for (int i = 0; i < drop && i < 2; i++)
    victim = victim->next;
  if (drop == 2)
    free(victim);
  for (struct node *n = head; n; n = n->next)
    n->value = 1; //~ use-after-free main
  return 0;
}
