// Writing to a pipe that nobody reads: SIGPIPE, or EPIPE for those who ignore it; waiting for pipes.
#include "show.h"
#include <poll.h>
#include <signal.h>
#include <sys/select.h>

static void handler(int signal)
{
	printf("handler of %d\n", signal);
}

static void look(int *ends)
{
	struct pollfd fds[2] = { { ends[0], POLLIN, 0 }, { ends[1], POLLOUT, 0 } };
	int n = poll(fds, 2, 0);
	printf("%d: %x %x\n", n, fds[0].revents, fds[1].revents);
}

int main(void)
{
	int ends[2];
	char c;
	fd_set in;
	struct timeval none = { 0, 0 };

	SHOW(pipe(ends));
	look(ends);
	SHOW(write(ends[1], "ab", 2));
	look(ends);
	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	SHOW(select(ends[0] + 1, &in, 0, 0, &none));
	SHOW(read(ends[0], &c, 1));
	SHOW(read(ends[0], &c, 1));
	SHOW(select(ends[0] + 1, &in, 0, 0, &none));
	SHOW(FD_ISSET(ends[0], &in) != 0);
	close(ends[0]);
	look(ends);
	signal(SIGPIPE, SIG_IGN);
	SHOW(write(ends[1], "x", 1));
	signal(SIGPIPE, handler);
	SHOW(write(ends[1], "x", 1));
	SHOW(pipe(ends));
	SHOW(write(ends[1], "x", 1));
	close(ends[1]);
	look(ends);
	SHOW(read(ends[0], &c, 1));
	look(ends);
	SHOW(pipe(ends));
	close(ends[0]);
	signal(SIGPIPE, SIG_DFL);
	fflush(stdout);
	write(ends[1], "x", 1);
	puts("never");
	return 0;
}
