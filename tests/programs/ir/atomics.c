// Atomic builtins in a single thread: exchange, compare-exchange, fetch-and-modify, fences.
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>
#include <stdatomic.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  _Atomic int a = 5;
  atomic_fetch_add(&a, x);
  atomic_fetch_xor(&a, 0xff);
  int old = atomic_exchange(&a, 3);
  assert(old == (int)((5 + (unsigned)x) ^ 0xff));
  int expected = 3;
  assert(atomic_compare_exchange_strong(&a, &expected, 10) && a == 10);
  expected = 77;
  assert(!atomic_compare_exchange_strong(&a, &expected, 11) && expected == 10);
  atomic_thread_fence(memory_order_seq_cst);
  int maximum = 4;
  __atomic_fetch_max(&maximum, x, __ATOMIC_RELAXED);
  assert(maximum >= 4 && maximum >= x);
  int nand = 6;
  __atomic_fetch_nand(&nand, 3, __ATOMIC_SEQ_CST);
  assert(nand == ~2);
  _Atomic unsigned char small = 200;
  small += 100;
  assert(small == 44);
  if (old == 0)
    return 1;
  return 0;
}
