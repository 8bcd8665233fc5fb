/* What the files of this folder share. Nothing here uses the C library: this
 * code runs below it, and before it has been set up. */
#ifndef FORKWISE_NATIVE_H
#define FORKWISE_NATIVE_H

#define HIDDEN __attribute__((visibility("hidden")))

/* The descriptor under which a runner passes memory for the counters. */
#define COUNTERS_FD 973

/* crates/posix/src/process: EPOCH, PID, UID. */
#define EPOCH 1704067200L
#define PID 1000
#define UID 1000

/* Set while a runner replays a test: see hooks.c. */
extern HIDDEN int __forkwise_replaying;

/* The kernel's number of the first file that was, or will be, made in the
 * working directory for this run; 0 outside of a sandbox. See files.c. */
extern HIDDEN long __forkwise_first_file;

/* Make the kernel's answers to stat and getdents64 the engine's. */
HIDDEN void __forkwise_show_status(void *answer);
HIDDEN void __forkwise_show_entries(int fd, char *entries, long length);

/* The system call as it is, whatever is being replayed. */
static inline long raw_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;
	__asm__ volatile ("syscall" : "=a"(result)
		: "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return result;
}

#endif
