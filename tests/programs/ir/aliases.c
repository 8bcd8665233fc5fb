// Symbol aliases for functions and variables.
// expect: paths = 1
// expect: exit-codes 33
int original_value = 30;
extern int alias_value __attribute__((alias("original_value")));

int original(int x) { return x + 1; }
int alias(int x) __attribute__((alias("original")));
int weak_alias(int x) __attribute__((weak, alias("original")));

int main(void) {
  original_value++;
  return weak_alias(alias(alias_value));
}
