// puts, putchar, fputs, fwrite and stderr; what is written before exit is flushed.
// expect: paths = 1
// expect: exit-codes 4
// expect: output "one\ntwo three\n"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  puts("one");
  fputs("two", stdout);
  putchar(' ');
  fwrite("three", 1, 5, stdout);
  fprintf(stderr, "to the error stream\n");
  fputc('\n', stdout);
  exit(4);
}
