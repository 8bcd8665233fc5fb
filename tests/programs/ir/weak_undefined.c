// A weak symbol that nobody defines has the address null.
// expect: paths = 1
// expect: exit-codes 5
extern int optional(void) __attribute__((weak));
extern int optional_value __attribute__((weak));

int main(void) {
  if (optional)
    return optional();
  if (&optional_value)
    return optional_value;
  return 5;
}
