// A symbolic value decides which signal is sent: a handler that returns, one that jumps, an end, nothing.
// expect: paths = 4
// expect: outputs "handled 10\nafter\n" "jumped with 12\n" "ignored\n"
#include <klee/klee.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;

static void stay(int signal) {
  printf("handled %d\n", signal);
}

static void leave(int signal) {
  siglongjmp(back, signal);
}

int main(void) {
  unsigned char choice;
  int came;
  klee_make_symbolic(&choice, sizeof choice, "choice");
  klee_assume(choice < 4);
  signal(SIGUSR1, stay);
  signal(SIGUSR2, leave);
  came = sigsetjmp(back, 1);
  if (came) {
    printf("jumped with %d\n", came);
    return 0;
  }
  switch (choice) {
  case 0:
    raise(SIGUSR1);
    puts("after");
    return 0;
  case 1:
    raise(SIGUSR2);
    return 1;
  case 2:
    raise(SIGTERM);
    return 2;
  default:
    raise(SIGCHLD);
    puts("ignored");
    return 0;
  }
}
