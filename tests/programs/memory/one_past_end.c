// A pointer one past the end may be formed and compared, not read.
// expect: paths = 1
// expect: exit-codes 6
int main(void) {
  int a[3] = {1, 2, 3}, sum = 0;
  for (int *p = a, *end = a + 3; p != end; p++)
    sum += *p;
  return sum;
}
