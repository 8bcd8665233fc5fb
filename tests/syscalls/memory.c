// Maps: made, changed, cut and taken away.
#include "show.h"
#include <stdint.h>
#include <sys/mman.h>

#define PAGE 4096
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW (PROT_READ | PROT_WRITE)

int main(void)
{
	unsigned char vector[8];
	char *p, *q;
	int i;

	p = mmap(0, 4 * PAGE, RW, ANON, -1, 0);
	SHOW_TRUE(p != MAP_FAILED && (uintptr_t)p % PAGE == 0);
	SHOW_TRUE(p[0] == 0 && p[4 * PAGE - 1] == 0);
	memset(p, 'x', 4 * PAGE);
	SHOW(mincore(p, 4 * PAGE, vector));
	printf("%d%d%d%d\n", vector[0] & 1, vector[1] & 1, vector[2] & 1, vector[3] & 1);
	SHOW(mincore(p + 1, PAGE, vector));
	SHOW(mincore(FAR, PAGE, vector));
	SHOW(syscall(SYS_mincore, p, PAGE, NOWHERE));
	SHOW(msync(p, PAGE, MS_SYNC));
	SHOW(msync(p, PAGE, MS_ASYNC | MS_SYNC));
	SHOW(msync(p + 1, PAGE, MS_SYNC));
	SHOW(msync(FAR, PAGE, MS_SYNC));
	SHOW(msync(p, PAGE, 64));
	SHOW(madvise(p + PAGE, PAGE, MADV_DONTNEED));
	printf("%c %d %c\n", p[PAGE - 1], p[PAGE], p[2 * PAGE]);
	SHOW(madvise(p, PAGE, MADV_WILLNEED));
	SHOW(madvise(p, PAGE, MADV_SEQUENTIAL));
	SHOW(madvise(p, PAGE, 9999));
	SHOW(madvise(p + 1, PAGE, MADV_NORMAL));
	SHOW(madvise(FAR, PAGE, MADV_NORMAL));
	SHOW(madvise(p, 0, MADV_NORMAL));
	SHOW(mprotect(p, PAGE, PROT_READ));
	printf("%c\n", p[0]);
	SHOW(mprotect(p, PAGE, RW));
	p[0] = 'y';
	SHOW(mprotect(p + 1, PAGE, PROT_READ));
	SHOW(mprotect(FAR, PAGE, PROT_READ));
	SHOW(mprotect(p, PAGE, 0x1000));
	SHOW(mprotect(p, 0, PROT_READ));

	SHOW(munmap(p + 3 * PAGE, PAGE));
	printf("%c\n", p[3 * PAGE - 1]);
	SHOW(munmap(p, PAGE));
	printf("%c %d\n", p[2 * PAGE], p[PAGE]);
	SHOW(munmap(p, 4 * PAGE));
	SHOW(munmap(p, 4 * PAGE));
	SHOW(munmap(p + 1, PAGE));
	SHOW(munmap(p, 0));
	SHOW(munmap(FAR, PAGE));

	SHOW_OK(mmap(0, 0, RW, ANON, -1, 0));
	SHOW_OK(mmap(0, PAGE, RW, MAP_ANONYMOUS, -1, 0));
	SHOW_OK(mmap(0, PAGE, RW, ANON, -1, 1));
	SHOW_OK(mmap(0, PAGE, RW, MAP_PRIVATE, -1, 0));
	SHOW_OK(mmap(0, PAGE, RW, MAP_PRIVATE, 99, 0));
	SHOW_OK(mmap(0, SIZE_MAX - PAGE, RW, ANON, -1, 0));
	SHOW_OK(mmap(0, (size_t)1 << 62, RW, ANON, -1, 0));
	SHOW_OK(syscall(SYS_mmap, 0, SIZE_MAX, RW, ANON, -1, 0));

	p = mmap(0, 100, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	SHOW_TRUE(p != MAP_FAILED);
	SHOW(mprotect(p, 100, RW));
	strcpy(p, "shared");
	puts(p);
	SHOW(munmap(p, 100));

	p = mmap(0, 2 * PAGE, RW, ANON, -1, 0);
	for (i = 0; i < 2 * PAGE; i++) p[i] = i / 128;
	q = mremap(p, 2 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	SHOW_TRUE(q != MAP_FAILED);
	printf("%d %d %d\n", q[128], q[2 * PAGE - 1], q[2 * PAGE]);
	q[6 * PAGE - 1] = 'z';
	p = mremap(q, 6 * PAGE, PAGE, 0);
	SHOW_TRUE(p == q);
	printf("%d\n", p[PAGE - 1]);
	SHOW_TRUE(mremap(p, PAGE, PAGE, 0) == p);
	SHOW_OK(mremap(p + 1, PAGE, PAGE, MREMAP_MAYMOVE));
	SHOW_OK(mremap(p, PAGE, 0, MREMAP_MAYMOVE));
	SHOW_OK(mremap(FAR, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	SHOW_OK(mremap(p, PAGE, PAGE, 128));
	SHOW(munmap(p, PAGE));

	SHOW_TRUE(syscall(SYS_brk, 0) != 0);
	SHOW_TRUE(syscall(SYS_brk, 1) == syscall(SYS_brk, 0));
	p = (char *)syscall(SYS_brk, 0);
	SHOW_TRUE((char *)syscall(SYS_brk, p + 8192) == p + 8192);
	p[0] = 1;
	p[8191] = 2;
	SHOW_TRUE((char *)syscall(SYS_brk, p + 16384) == p + 16384);
	printf("%d %d %d\n", p[0], p[8191], p[8192]);
	SHOW_TRUE((char *)syscall(SYS_brk, p) == p);
	SHOW(mlock(main, 16));
	SHOW(munlock(main, 16));
	SHOW(mlockall(77));
	SHOW(munlockall());
	return 0;
}
