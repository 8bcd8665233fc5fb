// Waiting for descriptors. Standard input is at its end, output is a pipe with room.
#include "show.h"
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>

int main(void)
{
	struct pollfd fds[4] = { { 0, POLLIN, 0 }, { 1, POLLOUT, 0 }, { 50, POLLIN, 0 }, { -1, POLLIN, 9 } };
	struct timespec short_time = { 0, 1000 }, bad = { 0, -1 };
	struct timeval no_time = { 0, 0 }, bad_time = { -1, 0 };
	fd_set in, out;
	sigset_t none;

	sigemptyset(&none);
	SHOW(poll(fds, 4, 0));
	printf("%x %x %x %x\n", fds[0].revents & POLLIN, fds[1].revents, fds[2].revents, fds[3].revents);
	SHOW(poll(fds + 1, 1, -1));
	SHOW(poll(fds + 3, 1, 1));
	SHOW(poll(0, 0, 1));
	SHOW(syscall(SYS_poll, NOWHERE, 1, 0));
	SHOW(poll(fds, -1, 0));
	SHOW(ppoll(fds + 1, 2, &short_time, &none));
	SHOW(ppoll(fds + 1, 2, &bad, &none));
	SHOW(ppoll(fds + 3, 1, &short_time, 0));

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(0, &in);
	FD_SET(1, &out);
	FD_SET(2, &out);
	SHOW(select(3, &in, &out, 0, &no_time));
	printf("%d %d %d\n", !!FD_ISSET(0, &in), !!FD_ISSET(1, &out), !!FD_ISSET(2, &out));
	FD_SET(50, &in);
	SHOW(select(51, &in, 0, 0, &no_time));
	SHOW(select(-1, 0, 0, 0, &no_time));
	SHOW(select(0, 0, 0, 0, &no_time));
	SHOW(select(0, 0, 0, 0, &bad_time));
	SHOW(syscall(SYS_select, 3, NOWHERE, 0, 0, &no_time));
	FD_ZERO(&out);
	FD_SET(1, &out);
	SHOW(pselect(2, 0, &out, 0, &short_time, &none));

	return 0;
}
