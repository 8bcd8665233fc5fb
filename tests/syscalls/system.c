// The machine: its name, its memory, its limits, its use.
#include "show.h"
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

static void limit(const char *name, int resource)
{
	struct rlimit r = { 1, 2 };
	int result = getrlimit(resource, &r);
	printf("%s: %d, ordered %d\n", name, result, r.rlim_cur <= r.rlim_max);
}

int main(void)
{
	struct utsname u;
	struct sysinfo i;
	struct rlimit r, old;
	struct rusage usage;
	char name[16];

	SHOW(uname(&u));
	printf("%s %s\n", u.sysname, u.machine);
	SHOW(syscall(SYS_uname, NOWHERE));
	SHOW(syscall(SYS_uname, 0));
	SHOW(sysinfo(&i));
	SHOW_TRUE(i.totalram > 0 && i.mem_unit > 0 && i.procs > 0 && i.uptime > 0);
	SHOW(syscall(SYS_sysinfo, FAR));

	limit("stack", RLIMIT_STACK);
	limit("files", RLIMIT_NOFILE);
	limit("core", RLIMIT_CORE);
	limit("size", RLIMIT_FSIZE);
	limit("space", RLIMIT_AS);
	limit("data", RLIMIT_DATA);
	limit("cpu", RLIMIT_CPU);
	SHOW(getrlimit(RLIMIT_STACK, &r));
	printf("%llu\n", (unsigned long long)r.rlim_cur);
	SHOW(getrlimit(99, &r));
	SHOW(getrlimit(-1, &r));
	SHOW(syscall(SYS_getrlimit, RLIMIT_STACK, NOWHERE));
	r.rlim_cur = 64;
	r.rlim_max = 128;
	SHOW(setrlimit(RLIMIT_NOFILE, &r));
	SHOW(getrlimit(RLIMIT_NOFILE, &old));
	printf("%llu %llu\n", (unsigned long long)old.rlim_cur, (unsigned long long)old.rlim_max);
	r.rlim_max = 256;
	SHOW(setrlimit(RLIMIT_NOFILE, &r));
	r.rlim_cur = 100;
	r.rlim_max = 50;
	SHOW(setrlimit(RLIMIT_NOFILE, &r));
	r.rlim_cur = r.rlim_max = 0;
	SHOW(setrlimit(RLIMIT_CORE, &r));
	SHOW(setrlimit(99, &r));
	SHOW(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &old));
	printf("%llu\n", (unsigned long long)old.rlim_max);
	SHOW(syscall(SYS_prlimit64, getpid(), RLIMIT_NOFILE, &r, &old));
	SHOW(syscall(SYS_prlimit64, 99999, RLIMIT_NOFILE, 0, &old));
	SHOW(syscall(SYS_prlimit64, 0, 16, 0, &old));
	SHOW(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NOWHERE, 0));

	SHOW(getrusage(RUSAGE_SELF, &usage));
	SHOW_TRUE(usage.ru_maxrss >= 0 && usage.ru_utime.tv_usec < 1000000);
	SHOW(getrusage(RUSAGE_CHILDREN, &usage));
	SHOW_TRUE(usage.ru_utime.tv_sec == 0 && usage.ru_maxrss == 0);
	SHOW(getrusage(RUSAGE_THREAD, &usage));
	SHOW(getrusage(7, &usage));
	SHOW(syscall(SYS_getrusage, RUSAGE_SELF, NOWHERE));

	SHOW(prctl(PR_SET_NAME, "a name that is too long"));
	SHOW(prctl(PR_GET_NAME, name));
	printf("%s\n", name);
	SHOW(prctl(PR_GET_NAME, 0));
	SHOW(prctl(PR_GET_DUMPABLE));
	SHOW(prctl(PR_SET_DUMPABLE, 0));
	SHOW(prctl(PR_GET_DUMPABLE));
	SHOW(prctl(PR_SET_DUMPABLE, 3));
	SHOW(prctl(PR_SET_KEEPCAPS, 2));
	SHOW(prctl(PR_GET_KEEPCAPS));
	SHOW(prctl(PR_GET_TIMERSLACK) > 0);
	SHOW(prctl(PR_SET_PDEATHSIG, 99));
	SHOW(prctl(12345));
	SHOW_OK(personality(0xffffffff));

	// From the priority the process has: natively that of whoever runs it, who may be nice.
	int base = getpriority(PRIO_PROCESS, 0);
	SHOW_TRUE(base >= -20 && base <= 19);
	SHOW(getpriority(PRIO_PROCESS, 99999));
	SHOW(getpriority(9, 0));
	SHOW(setpriority(PRIO_PROCESS, 0, base + 5));
	SHOW(getpriority(PRIO_PROCESS, 0) - base);
	SHOW(setpriority(PRIO_PROCESS, 99999, 5));
	SHOW(nice(1) - base);
	SHOW(getpriority(PRIO_PROCESS, 0) - base);
	SHOW(syscall(SYS_getpriority, PRIO_PROCESS, 0) + base);

	SHOW(syscall(5000));
	return 0;
}
