// An indirect function: its resolver picks the implementation before main.
// expect: paths = 1
// expect: exit-codes 12
static int slow(int x) { return x + 1; }
static int fast(int x) { return x + 2; }

static int (*resolve(void))(int) {
  volatile int have_fast = 1;
  return have_fast ? fast : slow;
}

int chosen(int x) __attribute__((ifunc("resolve")));

int main(void) { return slow(9) + chosen(0); }
