// A small JSON parser (arrays, strings with escapes, numbers, literals). The escape \u at the end of the text is
// read without checking that four digits follow.
// expect: exit-codes 0 1
#include <klee/klee.h>

static const char *at, *end;

static int value(int depth);

static void blanks(void) {
  while (at < end && (*at == ' ' || *at == '\n'))
    at++;
}

static int string(void) {
  at++;
  while (at < end && *at != '"') {
    if (*at == '\\') {
      at++;
      if (at == end)
        return 0;
      if (*at == 'u') {
        for (int i = 1; i <= 4; i++) {
          char digit = at[i]; //~ out-of-bounds-read string
          if (digit < '0' || digit > '9')
            return 0;
        }
        at += 4;
      }
    }
    at++;
  }
  if (at >= end)
    return 0;
  at++;
  return 1;
}

static int literal(const char *word) {
  for (; *word; word++, at++)
    if (at == end || *at != *word)
      return 0;
  return 1;
}

static int array(int depth) {
  at++;
  blanks();
  if (at < end && *at == ']') {
    at++;
    return 1;
  }
  for (;;) {
    if (!value(depth + 1))
      return 0;
    blanks();
    if (at == end)
      return 0;
    if (*at == ']') {
      at++;
      return 1;
    }
    if (*at++ != ',')
      return 0;
  }
}

static int value(int depth) {
  blanks();
  if (at == end || depth > 3)
    return 0;
  switch (*at) {
  case '"':
    return string();
  case '[':
    return array(depth);
  case 't':
    return literal("true");
  case 'n':
    return literal("null");
  default:
    if (*at < '0' || *at > '9')
      return 0;
    while (at < end && *at >= '0' && *at <= '9')
      at++;
    return 1;
  }
}

int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, "text");
  at = text;
  end = text + sizeof text;
  int good = value(0);
  blanks();
  return good && at == end ? 0 : 1;
}
