// A password check that never compares the password itself, only a checksum of it, and crashes in a branch that no
// amount of random testing reaches. Forkwise computes the password.
//
//     forkwise run examples/password.c
#include <forkwise.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned checksum(const char *text) {
  unsigned sum = 5381;
  for (; *text; text++)
    sum = sum * 33 + (unsigned char)*text;
  return sum;
}

int main(void) {
  char password[7];
  forkwise_symbolic(password, sizeof password, "password");
  password[6] = 0;
  for (int i = 0; i < 6; i++)
    forkwise_assume((password[i] >= 'a') & (password[i] <= 'z'));

  if (checksum(password) != 0xf968c2c0u) {
    puts("access denied");
    return 1;
  }
  printf("welcome, %s\n", password);
  if (password[0] == 'd')
    abort();
  return 0;
}
