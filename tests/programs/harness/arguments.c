// Without symbolic inputs, main's arguments are those of the command line: here none but the name.
// expect: paths = 1
// expect: exit-codes 1
#include <forkwise.h>

int main(int argc, char **argv) {
  forkwise_assert(argv[0] != 0 && argv[argc] == 0);
  int unused = forkwise_int("unused");
  (void)unused;
  return argc;
}
