// Output that is still in a buffer is lost when a program leaves by system call; an exit status has eight bits.
#include "show.h"

int main(void)
{
	SHOW(write(1, "direct\n", 7));
	SHOW(write(2, "error\n", 6));
	SHOW(write(77, "x", 1));
	SHOW(write(-1, "x", 1));
	fflush(stdout);
	printf("lost");
	syscall(SYS_exit_group, 0x1ff);
	return 0;
}
