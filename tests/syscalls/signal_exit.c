// A handler may end the program.
#include "show.h"
#include <signal.h>
#include <stdlib.h>

static void bye(void)
{
	puts("at exit");
}

static void handler(int signal)
{
	exit(signal + 1);
}

int main(void)
{
	atexit(bye);
	signal(SIGINT, handler);
	raise(SIGINT);
	return 0;
}
