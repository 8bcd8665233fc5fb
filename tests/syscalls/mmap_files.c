// Maps of files: private copies, shared changes, rights, ends.
#include "show.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define RW (PROT_READ | PROT_WRITE)

int main(void)
{
	char text[8], *p;
	int fd = open("file", O_RDWR | O_CREAT, 0600), reader, writer, pipes[2];

	SHOW(write(fd, "0123456789", 10));
	p = mmap(0, 4096, RW, MAP_PRIVATE, fd, 0);
	SHOW_TRUE(p != MAP_FAILED);
	printf("%.10s %d\n", p, p[10]);
	p[0] = 'x';
	SHOW(pread(fd, text, 1, 0));
	printf("%c%c\n", text[0], p[0]);
	SHOW(munmap(p, 4096));
	p = mmap(0, 10, RW, MAP_SHARED, fd, 0);
	SHOW_TRUE(p != MAP_FAILED);
	p[3] = 'S';
	SHOW(msync(p, 10, MS_SYNC));
	SHOW(pread(fd, text, 4, 0));
	printf("%.4s\n", text);
	p[4] = 'T';
	SHOW(munmap(p, 10));
	SHOW(pread(fd, text, 6, 0));
	printf("%.6s\n", text);

	reader = open("file", O_RDONLY);
	writer = open("file", O_WRONLY);
	SHOW_OK(mmap(0, 10, PROT_READ, MAP_SHARED, reader, 0));
	SHOW_OK(mmap(0, 10, RW, MAP_PRIVATE, reader, 0));
	SHOW_OK(mmap(0, 10, RW, MAP_SHARED, reader, 0));
	SHOW_OK(mmap(0, 10, PROT_READ, MAP_PRIVATE, writer, 0));
	SHOW_OK(mmap(0, 10, PROT_READ, MAP_PRIVATE, fd, 100));
	SHOW_OK(mmap(0, 10, PROT_READ, MAP_PRIVATE, fd, 4096));
	SHOW_OK(mmap(0, 0, PROT_READ, MAP_PRIVATE, fd, 0));
	SHOW_OK(mmap(0, 10, PROT_READ, 0, fd, 0));
	SHOW(pipe(pipes));
	SHOW_OK(mmap(0, 10, PROT_READ, MAP_PRIVATE, pipes[0], 0));
	SHOW_OK(mmap(0, 10, PROT_READ, MAP_PRIVATE, open(".", O_RDONLY), 0));
	p = mmap(0, 10, RW, MAP_PRIVATE, open("/dev/zero", O_RDWR), 0);
	SHOW_TRUE(p != MAP_FAILED && p[0] == 0);
	p = mmap(0, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SHOW_TRUE(mmap(p + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == p + 4096);
	printf("%.10s\n", p + 4096);
	SHOW(write(1, p, 1));
	SHOW(read(reader, p + 4096, 4));
	SHOW_OK(mmap(p + 1, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0));
	return 0;
}
