// A little command language, parsed from eight symbolic characters. Every path prints what it understood, so the tests
// read like a manual of the language; one of them divides by zero.
//
//     forkwise run examples/calculator.c && forkwise show forkwise-last
#include <ctype.h>
#include <forkwise.h>
#include <stdio.h>
#include <string.h>

static int number(const char **at, int *value) {
  if (!isdigit((unsigned char)**at))
    return 0;
  *value = 0;
  while (isdigit((unsigned char)**at))
    *value = *value * 10 + (*(*at)++ - '0');
  return 1;
}

static int command(const char *text) {
  int a, b;
  if (strncmp(text, "add ", 4) == 0) {
    text += 4;
    if (!number(&text, &a) || *text++ != ',' || !number(&text, &b) || *text)
      return puts("usage: add A,B"), 1;
    printf("%d\n", a + b);
    return 0;
  }
  if (strncmp(text, "div ", 4) == 0) {
    text += 4;
    if (!number(&text, &a) || *text++ != ',' || !number(&text, &b) || *text)
      return puts("usage: div A,B"), 1;
    printf("%d\n", a / b);
    return 0;
  }
  puts("unknown command");
  return 1;
}

int main(void) {
  char text[9];
  forkwise_symbolic(text, sizeof text, "text");
  text[8] = 0;
  return command(text);
}
