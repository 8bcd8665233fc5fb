// sscanf over a concrete line.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int year, month;
  char name[8];
  float weight;
  int n = sscanf("2024-07 zebra 3.5kg", "%d-%2d %7[a-z] %f", &year, &month, name, &weight);
  assert(n == 4 && year == 2024 && month == 7 && strcmp(name, "zebra") == 0 && weight == 3.5f);
  return 0;
}
