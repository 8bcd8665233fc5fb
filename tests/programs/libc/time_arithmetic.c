// Calendar arithmetic of a fixed time in UTC.
// expect: paths = 1
// expect: exit-codes 0
// expect: output "2001-09-09T01:46:40\n"
#include <stdio.h>
#include <time.h>

int main(void) {
  time_t when = 1000000000;
  struct tm parts;
  char text[32];
  if (!gmtime_r(&when, &parts))
    return 1;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  puts(text);
  return 0;
}
