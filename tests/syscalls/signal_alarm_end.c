// An alarm without a handler ends a sleeping program.
#include "show.h"
#include <sys/time.h>

int main(void)
{
	struct itimerval timer = { { 0, 0 }, { 0, 1000 } };
	setitimer(ITIMER_REAL, &timer, 0);
	puts("asleep");
	fflush(stdout);
	sleep(100);
	puts("never");
	return 0;
}
