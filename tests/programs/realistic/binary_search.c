// A binary search whose upper bound is the length instead of the last index.
// expect: exit-codes 0 1
#include <klee/klee.h>

static volatile int sorted[6] = {2, 3, 5, 7, 11, 13};

static int contains(int key) {
  int low = 0, high = 6;
  while (low <= high) {
    int middle = (low + high) / 2;
    int value = sorted[middle]; //~ out-of-bounds-read contains
    if (value == key)
      return 1;
    if (value < key)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return 0;
}

int main(void) {
  int key;
  klee_make_symbolic(&key, sizeof key, "key");
  return contains(key);
}
