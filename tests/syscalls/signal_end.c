// A signal without a handler ends the program; what was not flushed is lost.
#include "show.h"
#include <signal.h>

static void handler(int signal)
{
	printf("handler of %d\n", signal);
	fflush(stdout);
}

int main(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESETHAND };
	sigaction(SIGTERM, &act, 0);
	raise(SIGTERM);
	printf("lost");
	raise(SIGTERM);
	puts("never");
	return 0;
}
