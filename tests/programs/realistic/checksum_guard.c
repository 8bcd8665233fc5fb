// A packet with a length, a checksum and a command: the crash is behind all three.
// expect: exit-codes 0 1 2
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char packet[6];
  klee_make_symbolic(packet, sizeof packet, "packet");
  if (packet[0] != 0x7e || packet[1] != 4)
    return 1;
  unsigned char sum = 0;
  for (int i = 0; i < 5; i++)
    sum = (unsigned char)(sum * 31 + packet[i]);
  if (sum != packet[5])
    return 2;
  if (packet[2] == 'X' && packet[3] == 'Y')
    abort(); //~ abort main
  return 0;
}
