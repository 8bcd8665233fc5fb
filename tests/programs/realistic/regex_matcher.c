// A backtracking matcher for literals, '.', '*', '^' and '$'; a star without a character before it reads past the end.
// expect: exit-codes 0 1
#include <klee/klee.h>

static int match_here(const char *pattern, const char *text);

static int match_star(int c, const char *pattern, const char *text) {
  do {
    if (match_here(pattern, text))
      return 1;
  } while (*text && (*text++ == c || c == '.'));
  return 0;
}

static int match_here(const char *pattern, const char *text) {
  if (pattern[0] == 0) //~ out-of-bounds-read match_here
    return 1;
  if (pattern[1] == '*') //~ out-of-bounds-read match_here
    return match_star(pattern[0], pattern + 2, text);
  if (pattern[0] == '$' && pattern[1] == 0)
    return *text == 0;
  if (*text && (pattern[0] == '.' || pattern[0] == *text))
    return match_here(pattern + 1, text + 1);
  return 0;
}

int main(void) {
  char pattern[4];
  klee_make_symbolic(pattern, sizeof pattern, "pattern");
  klee_assume(pattern[0] == '^');
  return match_here(pattern + 1, "aab");
}
