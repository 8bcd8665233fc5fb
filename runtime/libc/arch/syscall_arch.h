/* System calls of musl under Forkwise: every one of them is a call of a single
 * external function, which the engine implements over its virtual Linux and
 * which the native build implements with the real instruction
 * (runtime/native/syscall.c). No VDSO: a clock that bypasses the system-call
 * boundary would also bypass the model. */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

#define IPC_64 0

long __forkwise_syscall(long n, long a, long b, long c, long d, long e, long f);

static inline long __syscall0(long n)
{
	return __forkwise_syscall(n, 0, 0, 0, 0, 0, 0);
}

static inline long __syscall1(long n, long a)
{
	return __forkwise_syscall(n, a, 0, 0, 0, 0, 0);
}

static inline long __syscall2(long n, long a, long b)
{
	return __forkwise_syscall(n, a, b, 0, 0, 0, 0);
}

static inline long __syscall3(long n, long a, long b, long c)
{
	return __forkwise_syscall(n, a, b, c, 0, 0, 0);
}

static inline long __syscall4(long n, long a, long b, long c, long d)
{
	return __forkwise_syscall(n, a, b, c, d, 0, 0);
}

static inline long __syscall5(long n, long a, long b, long c, long d, long e)
{
	return __forkwise_syscall(n, a, b, c, d, e, 0);
}

static inline long __syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	return __forkwise_syscall(n, a, b, c, d, e, f);
}
