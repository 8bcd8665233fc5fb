/* Coverage of a native program. Its instrumented code stores 1 into a byte for
 * each arm of a branch it takes; the bytes lie in the section forkwise_counters,
 * whose bounds the linker provides. A runner that wants them passes a file in
 * memory as descriptor 973, which is mapped over the section: the counters then
 * survive the program, however it ends. Without one they stay private.
 *
 * Called once, before anything else; costs one system call when there is no
 * runner. */
#include "native.h"

#define SYS_close 3
#define SYS_fstat 5
#define SYS_lseek 8
#define SYS_mmap 9
#define SEEK_CUR 1
#define PROT_READ_WRITE 3
#define MAP_SHARED_FIXED 0x11
#define S_IFMT 0170000
#define S_IFREG 0100000

extern char __start_forkwise_counters[] __attribute__((weak)) HIDDEN;
extern char __stop_forkwise_counters[] __attribute__((weak)) HIDDEN;

HIDDEN int __forkwise_replaying;

HIDDEN void __forkwise_native_start(void)
{
	/* The kernel's struct stat: mode at byte 24, size at byte 48. */
	union { long words[18]; unsigned mode[36]; } stat;
	long size = __stop_forkwise_counters - __start_forkwise_counters;
	if (raw_syscall(SYS_fstat, COUNTERS_FD, (long)&stat, 0, 0, 0, 0) != 0)
		return;
	if ((stat.mode[6] & S_IFMT) != S_IFREG || stat.words[6] < size)
		return;
	if (size > 0) {
		long start = (long)__start_forkwise_counters;
		long mapped = raw_syscall(SYS_mmap, start, size, PROT_READ_WRITE,
			MAP_SHARED_FIXED, COUNTERS_FD, 0);
		if (mapped != start)
			return;
	}
	/* Nobody reads from the file, so its position is free to say something. */
	long position = raw_syscall(SYS_lseek, COUNTERS_FD, 0, SEEK_CUR, 0, 0, 0);
	__forkwise_first_file = position > 0 ? position : 0;
	/* The program must not find a descriptor that the engine's does not have. */
	raw_syscall(SYS_close, COUNTERS_FD, 0, 0, 0, 0, 0);
	__forkwise_replaying = 1;
}
