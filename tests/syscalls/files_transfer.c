// Reading and writing: offsets, vectors, bad memory, devices.
#include "show.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

static void content(const char *name)
{
	char buf[64];
	int fd = open(name, O_RDONLY);
	int n = read(fd, buf, sizeof buf);
	printf("%s:", name);
	for (int i = 0; i < n; i++) printf(" %d", buf[i]);
	puts("");
	close(fd);
}

int main(void)
{
	char buf[64] = "";
	int fd = open("f", O_CREAT | O_RDWR, 0644);
	SHOW(write(fd, "0123456789", 10));
	SHOW(read(fd, buf, 5));
	SHOW(lseek(fd, 2, SEEK_SET));
	SHOW(read(fd, buf, 3));
	printf("%.3s\n", buf);
	SHOW(lseek(fd, -1, SEEK_CUR));
	SHOW(lseek(fd, -3, SEEK_END));
	SHOW(read(fd, buf, 10));
	SHOW(lseek(fd, -100, SEEK_CUR));
	SHOW(lseek(fd, 0, 99));
	SHOW(lseek(fd, 20, SEEK_SET));
	SHOW(read(fd, buf, 10));
	SHOW(write(fd, "X", 1));
	content("f");
	SHOW(pread(fd, buf, 4, 1));
	SHOW(pread(fd, buf, 4, -1));
	SHOW(pwrite(fd, "ab", 2, 0));
	SHOW(lseek(fd, 0, SEEK_CUR));
	SHOW(lseek(fd, 0, SEEK_DATA));
	SHOW(lseek(fd, 30, SEEK_DATA));
	SHOW(lseek(fd, 30, SEEK_HOLE));
	SHOW(read(fd, NOWHERE, 4));
	SHOW(lseek(fd, 0, SEEK_SET));
	SHOW(read(fd, NOWHERE, 4));
	SHOW(read(fd, NULL, 0));
	SHOW(write(fd, FAR, 4));
	SHOW(write(fd, NULL, 0));
	SHOW(read(-1, buf, 1));
	SHOW(write(77, buf, 1));
	SHOW(read(77, NOWHERE, 1));
	SHOW(lseek(77, 0, SEEK_SET));
	SHOW(read(open(".", O_RDONLY), buf, 4));
	struct iovec v[3] = { { buf, 2 }, { buf + 10, 0 }, { buf + 20, 3 } };
	SHOW(readv(fd, v, 3));
	printf("%.2s %.3s\n", buf, buf + 20);
	SHOW(writev(fd, v, 3));
	SHOW(readv(fd, v, -1));
	SHOW(readv(fd, v, IOV_MAX + 1));
	SHOW(readv(fd, v, 0));
	SHOW(readv(fd, NOWHERE, 1));
	SHOW(readv(88, NOWHERE, 1));
	v[1].iov_len = -1;
	SHOW(readv(fd, v, 3));
	v[1].iov_len = 1;
	SHOW(preadv(fd, v, 3, 3));
	SHOW(pwritev(fd, v, 3, 30));
	content("f");
	int app = open("f", O_WRONLY | O_APPEND);
	SHOW(pwrite(app, "z", 1, 0));
	SHOW(lseek(app, 0, SEEK_CUR));
	SHOW(write(app, "y", 1));
	SHOW(lseek(app, 0, SEEK_CUR));
	content("f");
	SHOW(ftruncate(fd, 4));
	content("f");
	SHOW(ftruncate(fd, 6));
	content("f");
	SHOW(ftruncate(fd, -1));
	SHOW(ftruncate(99, 1));
	int ro = open("f", O_RDONLY);
	SHOW(ftruncate(ro, 1));
	SHOW(truncate("f", 3));
	SHOW(truncate("f", -3));
	SHOW(truncate("missing", 3));
	SHOW(truncate(".", 3));
	content("f");
	SHOW(posix_fallocate(fd, 0, 8));
	SHOW(fallocate(fd, 1, 0, 100));
	SHOW(fallocate(fd, 0, -1, 1));
	SHOW(fallocate(fd, 0, 0, 0));
	SHOW(fallocate(ro, 0, 0, 4));
	SHOW(fallocate(1, 0, 0, 4));
	content("f");
	int null = open("/dev/null", O_RDWR), zero = open("/dev/zero", O_RDWR), full = open("/dev/full", O_RDWR);
	SHOW(read(null, buf, 4));
	SHOW(write(null, buf, 4));
	SHOW(write(null, NOWHERE, 4));
	SHOW(lseek(null, 10, SEEK_SET));
	SHOW(lseek(null, 0, SEEK_CUR));
	memset(buf, 'x', 8);
	SHOW(read(zero, buf, 4));
	printf("%d %d %c\n", buf[0], buf[3], buf[4]);
	SHOW(write(zero, buf, 4));
	SHOW(read(full, buf, 4));
	SHOW(write(full, buf, 4));
	SHOW(write(full, buf, 0));
	SHOW(open("/dev/tty", O_RDWR));
	SHOW(lseek(1, 0, SEEK_CUR));
	SHOW(pread(1, buf, 1, 0));
	SHOW(read(1, buf, 1));
	SHOW(fsync(fd));
	SHOW(fdatasync(99));
	SHOW(fsync(1));
	sync();
	SHOW(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	SHOW(posix_fadvise(fd, 0, 0, 99));
	SHOW(posix_fadvise(1, 0, 0, 0));
	SHOW(posix_fadvise(99, 0, 0, 0));
	int g = open("g", O_CREAT | O_RDWR, 0644);
	off_t off = 1;
	SHOW(sendfile(g, fd, &off, 3));
	printf("%ld\n", (long)off);
	lseek(fd, 0, SEEK_SET);
	SHOW(sendfile(g, fd, NULL, 100));
	SHOW(sendfile(99, fd, NULL, 100));
	SHOW(sendfile(ro, fd, NULL, 100));
	content("g");
	off_t from = 0, to = 2;
	SHOW(copy_file_range(fd, &from, g, &to, 3, 0));
	printf("%ld %ld\n", (long)from, (long)to);
	SHOW(copy_file_range(fd, &from, g, &to, 3, 1));
	SHOW(copy_file_range(fd, &from, ro, &to, 3, 0));
	SHOW(copy_file_range(99, &from, g, &to, 3, 0));
	content("g");
	int in = SHOW(open("/dev/stdin", O_RDONLY));
	SHOW(read(in, buf, 4));
	fflush(stdout);
	SHOW(write(open("/dev/stdout", O_WRONLY), "direct\n", 7));
	fflush(stdout);
	SHOW(write(open("/dev/fd/1", O_WRONLY), "again\n", 6));
	SHOW(open("/dev/fd/77", O_RDONLY));
	SHOW(read(0, buf, 10));
	SHOW(lseek(0, 0, SEEK_END));
	return 0;
}
