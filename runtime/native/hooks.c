/* The two hooks below musl, natively: a system call is the instruction, and the
 * thread pointer is the one the kernel keeps in the fs segment. In the engine
 * both are intrinsics. */

__attribute__((visibility("hidden")))
long __forkwise_syscall(long n, long a, long b, long c, long d, long e, long f)
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

/* Word 0 of a thread's control block is its own address. */
__attribute__((visibility("hidden")))
void *__forkwise_thread_pointer(void)
{
	void *pointer;
	__asm__ volatile ("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}
