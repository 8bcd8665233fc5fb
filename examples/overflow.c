// A message with a length byte, copied into a buffer of 16. The check forgets that the header was counted in, so some
// lengths pass it and overrun the buffer. Forkwise finds the bug, and AddressSanitizer confirms it natively.
//
//     forkwise run examples/overflow.c
#include <forkwise.h>
#include <stdlib.h>

enum { HEADER = 2, ROOM = 16 };

struct session {
  unsigned char *room;
  unsigned used;
};

static int receive(struct session *session, const unsigned char *message, unsigned size) {
  if (size < HEADER || message[0] != 0x55)
    return 1;
  unsigned length = message[1];
  if (length > size)
    return 2;
  if (session->used + length > ROOM + HEADER)
    return 3;
  for (unsigned i = 0; i < length; i++)
    session->room[session->used++] = message[HEADER + i % (size - HEADER)];
  return 0;
}

int main(void) {
  unsigned char message[24];
  forkwise_symbolic(message, sizeof message, "message");
  struct session session = {calloc(ROOM, 1), 0};
  if (!session.room)
    return 4;
  int result = receive(&session, message, sizeof message);
  free(session.room);
  return result;
}
