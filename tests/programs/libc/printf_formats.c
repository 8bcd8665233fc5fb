// printf with the conversions programs use; the captured output is exact.
// expect: paths = 1
// expect: exit-codes 0
// expect: output "[   42|42   |00042|+42|2a|0X2A|052] [abc|  abc|ab] [x%] [3.14|3.1416e+00|1e+10|0.0001] [-1|4294967295|9223372036854775807] [0x1p+1] (nil-free) 7\n"
#include <stdio.h>

int main(void) {
  volatile int n = 42;
  volatile double pi = 3.14159;
  int written = 0;
  printf("[%5d|%-5d|%05d|%+d|%x|%#X|%#o] [%s|%5s|%.2s] [%c%%] ", n, n, n, n, n, n, n, "abc", "abc", "abc", 'x');
  printf("[%.2f|%.4e|%g|%g] [%d|%u|%lld] [%a] (nil-free) %n", pi, pi, 1e10, 0.0001, -1, -1u,
         9223372036854775807LL, 2.0, &written);
  printf("%d\n", written % 10);
  return 0;
}
