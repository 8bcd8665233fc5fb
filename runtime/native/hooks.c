/* The two hooks below musl, natively: a system call is the instruction, and the
 * thread pointer is the one the kernel keeps in the fs segment. In the engine
 * both are intrinsics.
 *
 * While a runner replays a test, the answers that differ from run to run are
 * those of the engine's virtual Linux (crates/posix): the clocks begin at the
 * same second, and the process is number 1000, a child of 1, of user and group
 * 1000, on a host called forkwise. Files are in files.c. */
#include "native.h"

#define SYS_stat 4
#define SYS_fstat 5
#define SYS_lstat 6
#define SYS_getpid 39
#define SYS_kill 62
#define SYS_uname 63
#define SYS_gettimeofday 96
#define SYS_getuid 102
#define SYS_getgid 104
#define SYS_geteuid 107
#define SYS_getegid 108
#define SYS_getppid 110
#define SYS_time 201
#define SYS_getdents64 217
#define SYS_clock_gettime 228
#define SYS_tgkill 234
#define SYS_newfstatat 262

#define EFAULT 14

/* The clocks of a replay: each look at them is a microsecond after the last, so
 * that a program which waits for time to pass sees it pass. The first is after
 * the files of the test were made. */
static long clock_microseconds = 1;

static long tell_time(long *seconds, long unit)
{
	long now = __atomic_fetch_add(&clock_microseconds, 1, __ATOMIC_RELAXED);
	seconds[0] = EPOCH + now / 1000000;
	seconds[1] = now % 1000000 * unit;
	return 0;
}

static long replayed_uname(char *names)
{
	static const char host[] = "forkwise";
	long result = raw_syscall(SYS_uname, (long)names, 0, 0, 0, 0, 0);
	if (result == 0)
		for (unsigned i = 0; i < sizeof host; i++)
			names[65 + i] = host[i];
	return result;
}

/* A question about files, whose answer is shown as the engine gives it. */
static long replayed_files(long n, long a, long b, long c, long d)
{
	long result = raw_syscall(n, a, b, c, d, 0, 0);
	if (result < 0 || __forkwise_first_file == 0)
		return result;
	if (n == SYS_getdents64)
		__forkwise_show_entries((int)a, (char *)b, result);
	else
		__forkwise_show_status((void *)(n == SYS_newfstatat ? c : b));
	return result;
}

HIDDEN long __forkwise_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	if (__builtin_expect(__forkwise_replaying, 0)) {
		switch (n) {
		case SYS_clock_gettime:
			return b ? tell_time((long *)b, 1000) : -EFAULT;
		case SYS_gettimeofday:
			return a ? tell_time((long *)a, 1) : 0;
		case SYS_time: {
			long now[2];
			tell_time(now, 1);
			if (a) *(long *)a = now[0];
			return now[0];
		}
		case SYS_getpid:
			return PID;
		case SYS_getppid:
			return 1;
		case SYS_getuid:
		case SYS_geteuid:
		case SYS_getgid:
		case SYS_getegid:
			return UID;
		case SYS_uname:
			return replayed_uname((char *)a);
		case SYS_stat:
		case SYS_fstat:
		case SYS_lstat:
		case SYS_newfstatat:
		case SYS_getdents64:
			return replayed_files(n, a, b, c, d);
		case SYS_kill:
		case SYS_tgkill:
			/* A signal to itself by the number it was told. */
			if ((int)a == PID)
				a = raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
			break;
		}
	}
	return raw_syscall(n, a, b, c, d, e, f);
}

/* Word 0 of a thread's control block is its own address. */
HIDDEN void *__forkwise_thread_pointer(void)
{
	void *pointer;
	__asm__ volatile ("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}
