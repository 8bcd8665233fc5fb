// A call through a table at a symbolic index reaches every function in it.
// expect: exit-codes 0 3 7 10 25
#include <klee/klee.h>

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static int zero(int a, int b) { return (a + b) * 0; }

static int (*const operations[4])(int, int) = {add, subtract, multiply, zero};

int main(void) {
  unsigned char op;
  klee_make_symbolic(&op, sizeof op, "op");
  if (op >= 4)
    return 25;
  return operations[op](5, 2);
}
