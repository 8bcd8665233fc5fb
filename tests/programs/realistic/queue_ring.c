// A ring buffer driven by symbolic commands; the model and the ring agree.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>

#define CAPACITY 2

static unsigned char ring[CAPACITY];
static unsigned head, count;

static int push(unsigned char x) {
  if (count == CAPACITY)
    return 0;
  ring[(head + count++) % CAPACITY] = x;
  return 1;
}

static int pop(unsigned char *x) {
  if (count == 0)
    return 0;
  *x = ring[head];
  head = (head + 1) % CAPACITY;
  count--;
  return 1;
}

int main(void) {
  unsigned char commands[4], model[4];
  int from = 0, to = 0;
  klee_make_symbolic(commands, sizeof commands, "commands");
  for (int i = 0; i < 4; i++) {
    if (commands[i] & 1) {
      if (push(commands[i]))
        model[to++] = commands[i];
    } else {
      unsigned char x;
      if (pop(&x))
        assert(from < to && x == model[from++]);
      else
        assert(from == to);
    }
    assert((int)count == to - from);
  }
  if (count == 2)
    return 1;
  return 0;
}
