// Guaranteed tail calls do not use up the stack.
// expect: paths = 1
// expect: exit-codes 7
static int odd(unsigned n, int result);

static int even(unsigned n, int result) {
  if (n == 0)
    return result;
  __attribute__((musttail)) return odd(n - 1, result);
}

static int odd(unsigned n, int result) {
  if (n == 0)
    return result + 1;
  __attribute__((musttail)) return even(n - 1, result);
}

int main(void) {
  volatile unsigned n = 300000;
  return even(n, 7);
}
