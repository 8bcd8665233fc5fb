// Ten thousand frames are fine.
// expect: paths = 1
// expect: exit-codes 0
static int depth(int n) {
  volatile int here = n;
  return here == 0 ? 0 : depth(n - 1) + (here > 0) - 1;
}

int main(void) {
  volatile int n = 10000;
  return depth(n);
}
