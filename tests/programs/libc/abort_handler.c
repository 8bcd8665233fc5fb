// A handler of SIGABRT survives raise, and runs before abort ends the program all the same.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

static void handler(int signal) {
  calls += signal;
}

int main(void) {
  signal(SIGABRT, handler);
  raise(SIGABRT);
  if (calls != SIGABRT)
    return 1;
  abort(); //~ abort main
}
