/* What musl writes in assembly for threads on x86-64, in C over the two hooks.
 *
 * The thread pointer is set by the system call that x86-64 has for it, so that
 * the model sees what a real kernel would see. The symbols around a cancellable
 * system call exist because the cancellation signal handler compares the program
 * counter with them; with one thread no such signal arrives. */
#include "pthread_impl.h"
#include "syscall.h"

#define ARCH_SET_FS 0x1002

hidden long __cancel(void);

int __set_thread_area(void *p)
{
	return __syscall(SYS_arch_prctl, ARCH_SET_FS, p);
}

hidden const char __cp_begin[1], __cp_end[1], __cp_cancel[1];

hidden long __syscall_cp_asm(volatile void *cancel, syscall_arg_t n,
	syscall_arg_t a, syscall_arg_t b, syscall_arg_t c,
	syscall_arg_t d, syscall_arg_t e, syscall_arg_t f)
{
	if (*(volatile int *)cancel) return __cancel();
	return __syscall(n, a, b, c, d, e, f);
}
