// The length field of a message is believed: memcpy reads past the end of the message (heartbleed in small).
// expect: exit-codes 0
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned char sink;

int main(void) {
  unsigned char message[6];
  klee_make_symbolic(message, sizeof message, "message");
  unsigned char length = message[0];
  klee_assume(length <= 7);
  unsigned char *reply = calloc(8, 1);
  if (!reply)
    return 9;
  memcpy(reply, message + 1, length); //~ out-of-bounds-read main
  sink = reply[0];
  free(reply);
  return 0;
}
