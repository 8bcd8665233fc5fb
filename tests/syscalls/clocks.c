// Time goes on, sleeping takes time, and clocks that do not exist say so.
#include "show.h"
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static long long nanoseconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	struct timespec t = { 5, 5 }, u = { 0, 2000000 }, bad = { 0, 1000000000 }, negative = { -1, 0 };
	struct timeval v;
	struct itimerval timer = { { 0, 0 }, { 1000, 0 } }, before;
	struct tms cpu;
	long long first, second;

	SHOW(clock_gettime(CLOCK_REALTIME, &t));
	SHOW_TRUE(t.tv_sec > 1600000000 && t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
	SHOW(clock_gettime(CLOCK_MONOTONIC, &t));
	SHOW(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t));
	SHOW(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
	SHOW(clock_gettime(CLOCK_BOOTTIME, &t));
	SHOW(clock_gettime(CLOCK_REALTIME_COARSE, &t));
	SHOW(clock_gettime(99, &t));
	SHOW(syscall(SYS_clock_gettime, CLOCK_REALTIME, NOWHERE));
	SHOW(syscall(SYS_clock_gettime, 99, NOWHERE));
	SHOW(clock_getres(CLOCK_REALTIME, &t));
	printf("%ld %ld\n", (long)t.tv_sec, t.tv_nsec);
	SHOW(clock_getres(CLOCK_MONOTONIC, 0));
	SHOW(clock_getres(99, &t));
	SHOW(syscall(SYS_clock_getres, CLOCK_MONOTONIC, NOWHERE));
	SHOW(clock_settime(CLOCK_REALTIME, &u));
	SHOW(clock_settime(CLOCK_MONOTONIC, &u));
	SHOW(clock_settime(CLOCK_REALTIME, &bad));
	SHOW(clock_settime(99, &u));

	first = nanoseconds(CLOCK_MONOTONIC);
	SHOW(nanosleep(&u, 0));
	second = nanoseconds(CLOCK_MONOTONIC);
	SHOW_TRUE(second - first >= 2000000);
	SHOW(nanosleep(&bad, 0));
	SHOW(nanosleep(&negative, 0));
	SHOW(syscall(SYS_nanosleep, NOWHERE, 0));
	first = nanoseconds(CLOCK_REALTIME);
	SHOW(clock_nanosleep(CLOCK_REALTIME, 0, &u, 0));
	second = nanoseconds(CLOCK_REALTIME);
	SHOW_TRUE(second - first >= 2000000);
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += 1000;
	if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0));
	SHOW_TRUE(nanoseconds(CLOCK_MONOTONIC) >= t.tv_sec * 1000000000LL + t.tv_nsec);
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &u, 0));
	SHOW(clock_nanosleep(99, 0, &u, 0));
	SHOW(clock_nanosleep(CLOCK_REALTIME, 0, &bad, 0));
	SHOW(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &u, 0));
	SHOW(usleep(10));
	SHOW(sleep(0));

	SHOW(gettimeofday(&v, 0));
	SHOW_TRUE(v.tv_sec > 1600000000 && v.tv_usec >= 0 && v.tv_usec < 1000000);
	SHOW(syscall(SYS_gettimeofday, NOWHERE, 0));
	SHOW(syscall(SYS_gettimeofday, 0, 0));
	SHOW_TRUE(time(0) > 1600000000);
	SHOW_TRUE(syscall(SYS_time, 0) > 1600000000);
	SHOW(syscall(SYS_time, NOWHERE));
	SHOW_TRUE(times(&cpu) != -1);
	SHOW_TRUE(times(0) != -1);
	SHOW(syscall(SYS_times, NOWHERE));
	SHOW_TRUE(clock() >= 0);

	SHOW(alarm(0));
	SHOW(alarm(1000));
	SHOW(alarm(0) >= 999);
	SHOW(alarm(0));
	SHOW(setitimer(ITIMER_REAL, &timer, &before));
	printf("%ld %ld\n", (long)before.it_value.tv_sec, (long)before.it_value.tv_usec);
	SHOW(getitimer(ITIMER_REAL, &before));
	SHOW_TRUE(before.it_value.tv_sec >= 998 && before.it_interval.tv_sec == 0);
	timer.it_value.tv_sec = 0;
	SHOW(setitimer(ITIMER_REAL, &timer, &before));
	SHOW_TRUE(before.it_value.tv_sec >= 998);
	timer.it_value.tv_usec = 1000000;
	SHOW(setitimer(ITIMER_REAL, &timer, 0));
	SHOW(setitimer(9, &timer, 0));
	SHOW(getitimer(9, &timer));
	SHOW(getitimer(ITIMER_PROF, &timer));
	SHOW(getitimer(ITIMER_VIRTUAL, &timer));
	SHOW(syscall(SYS_getitimer, ITIMER_REAL, NOWHERE));
	SHOW(syscall(SYS_setitimer, ITIMER_REAL, NOWHERE, 0));
	return 0;
}
