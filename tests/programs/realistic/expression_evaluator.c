// A recursive-descent evaluator over digits, + - * / and parentheses; it divides without looking.
// expect: exit-codes 0 1
#include <klee/klee.h>

static const char *at;
static int failed;

static int expression(void);

static int factor(void) {
  if (*at >= '0' && *at <= '9')
    return *at++ - '0';
  if (*at == '(') {
    at++;
    int value = expression();
    if (*at == ')')
      at++;
    else
      failed = 1;
    return value;
  }
  failed = 1;
  return 1;
}

static int term(void) {
  int value = factor();
  while (!failed && (*at == '*' || *at == '/')) {
    char operator= *at++;
    int other = factor();
    if (failed)
      return 1;
    if (operator== '*')
      value *= other;
    else
      value /= other; //~ division-by-zero term
  }
  return value;
}

static int expression(void) {
  int value = term();
  while (!failed && (*at == '+' || *at == '-'))
    value = *at++ == '+' ? value + term() : value - term();
  return value;
}

int main(void) {
  char text[5];
  klee_make_symbolic(text, sizeof text, "text");
  text[4] = 0;
  at = text;
  volatile int value = expression();
  (void)value;
  if (failed || *at)
    return 1;
  return 0;
}
