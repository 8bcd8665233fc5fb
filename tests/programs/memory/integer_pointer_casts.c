// Pointers through integers: tag bits in the low part, halves stored apart, and an exclusive-or link.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <stdint.h>

static int a = 1, b = 2, c = 3;

int main(void) {
  uintptr_t tagged = (uintptr_t)&a | 3;
  volatile uint32_t low = (uint32_t)tagged, high = (uint32_t)(tagged >> 32);
  int *p = (int *)((((uintptr_t)high << 32) | low) & ~(uintptr_t)3);
  assert(*p == 1);
  volatile uintptr_t link = (uintptr_t)&a ^ (uintptr_t)&c;
  int *q = (int *)(link ^ (uintptr_t)&a);
  *q += b;
  assert(c == 5);
  assert((uintptr_t)&b % sizeof(int) == 0);
  return 0;
}
