// A program without symbolic input is one path, run concretely.
// expect: paths = 1
// expect: exit-codes 42
// expect: output "sum = 499500\n"
#include <stdio.h>

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += i;
  printf("sum = %d\n", sum);
  return 42;
}
