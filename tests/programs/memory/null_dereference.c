// A lookup that fails returns null, and the caller does not look.
// expect: exit-codes 1 2 3
#include <klee/klee.h>

struct entry {
  int key;
  volatile int value;
};

static struct entry entries[3] = {{10, 1}, {20, 2}, {30, 3}};

static struct entry *find(int key) {
  for (int i = 0; i < 3; i++)
    if (entries[i].key == key)
      return &entries[i];
  return 0;
}

int main(void) {
  int key;
  klee_make_symbolic(&key, sizeof key, "key");
  return find(key)->value; //~ null-dereference main
}
