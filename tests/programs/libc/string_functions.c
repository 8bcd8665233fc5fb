// string.h on concrete text.
// expect: paths = 1
// expect: exit-codes 0
#include <assert.h>
#include <string.h>

int main(void) {
  char text[32] = "alpha";
  strcat(text, ",beta");
  strncat(text, ",gammaxyz", 6);
  assert(strcmp(text, "alpha,beta,gamma") == 0);
  assert(strchr(text, ',') == text + 5 && strrchr(text, ',') == text + 10);
  assert(strstr(text, "beta") == text + 6 && !strstr(text, "delta"));
  assert(strspn(text, "alph") == 5 && strcspn(text, ",") == 5);
  assert(strpbrk(text, "gb") == text + 6);
  assert(memchr(text, 'g', 16) == text + 11);
  char *save, *word = strtok_r(text, ",", &save);
  assert(strcmp(word, "alpha") == 0);
  assert(strcmp(strtok_r(0, ",", &save), "beta") == 0);
  assert(strcmp(strtok_r(0, ",", &save), "gamma") == 0 && !strtok_r(0, ",", &save));
  char padded[8];
  strncpy(padded, "ab", 8);
  assert(padded[7] == 0 && strncmp(padded, "abz", 2) == 0);
  assert(strnlen("abc", 2) == 2);
  return 0;
}
