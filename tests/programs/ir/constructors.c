// Constructors run before main in order of priority, destructors after it, atexit handlers in between.
// expect: paths = 1
// expect: exit-codes 3
// expect: output "first second main exit last\n"
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor(102))) static void second(void) { printf("second "); }
__attribute__((constructor(101))) static void first(void) { printf("first "); }
__attribute__((destructor)) static void last(void) { printf("last\n"); }
static void at_exit(void) { printf("exit "); }

int main(void) {
  atexit(at_exit);
  printf("main ");
  return 3;
}
