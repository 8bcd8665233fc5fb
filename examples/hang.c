// A word counter that skips comments: it stops at the end of a comment's line without stepping over it, and comes back to
// the same character forever. Forkwise stops such a path at an instruction limit, reports it as a hang, and the native
// run confirms it.
//
//     forkwise run --max-path-instructions 200000 examples/hang.c
#include <forkwise.h>

static int words(const char *text) {
  int count = 0, in_comment = 0;
  for (int i = 0; text[i];) {
    if (text[i] == '#') {
      in_comment = 1;
      while (text[i] && text[i] != '\n')
        i++;
    } else if (text[i] == '\n') {
      if (!in_comment)
        i++;
    } else if (text[i] == ' ') {
      i++;
    } else {
      count++;
      while (text[i] && text[i] != ' ' && text[i] != '\n' && text[i] != '#')
        i++;
    }
  }
  return count;
}

int main(void) {
  char text[4];
  forkwise_symbolic(text, sizeof text, "text");
  text[3] = 0;
  return words(text);
}
