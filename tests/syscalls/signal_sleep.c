// Timers ring while the program sleeps or waits.
#include "show.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile int rings;

static void ring(int signal)
{
	printf("ring %d of %d\n", ++rings, signal);
}

int main(void)
{
	struct itimerval timer = { { 0, 5000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	struct timespec t = { 10, 0 }, rest = { 0, 0 };
	sigset_t set, empty;

	signal(SIGALRM, ring);
	timer.it_interval.tv_usec = 0;
	SHOW(setitimer(ITIMER_REAL, &timer, 0));
	SHOW(nanosleep(&t, &rest));
	SHOW_TRUE(rest.tv_sec == 9);
	SHOW(setitimer(ITIMER_REAL, &timer, 0));
	SHOW(pause());
	sigemptyset(&empty);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	SHOW(sigprocmask(SIG_BLOCK, &set, 0));
	SHOW(setitimer(ITIMER_REAL, &timer, 0));
	SHOW(sigsuspend(&empty));
	SHOW(setitimer(ITIMER_REAL, &none, 0));
	SHOW(rings);
	return 0;
}
