// Opening, creating and closing files.
#include "show.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/resource.h>

static void mode_of(const char *name)
{
	struct stat st;
	if (stat(name, &st)) printf("%s: %s\n", name, strerror(errno));
	else printf("%s: mode %o size %ld\n", name, st.st_mode, (long)st.st_size);
}

int main(void)
{
	SHOW(open("missing", O_RDONLY));
	SHOW(open("", O_RDONLY));
	SHOW(open(NOWHERE, O_RDONLY));
	SHOW(open(NULL, O_RDONLY));
	int a = SHOW(open("a", O_CREAT | O_RDWR, 0666));
	mode_of("a");
	SHOW(open("a", O_CREAT | O_EXCL | O_RDWR, 0666));
	SHOW(write(a, "hello", 5));
	int b = SHOW(open("a", O_RDONLY));
	char buf[16];
	SHOW(read(b, buf, sizeof buf));
	SHOW(write(b, "x", 1));
	int w = SHOW(open("a", O_WRONLY | O_APPEND));
	SHOW(read(w, buf, 1));
	SHOW(write(w, "world", 5));
	SHOW(lseek(w, 0, SEEK_CUR));
	mode_of("a");
	SHOW(close(w));
	SHOW(close(w));
	SHOW(close(-1));
	SHOW(close(1000));
	SHOW(open("a", O_WRONLY | O_TRUNC));
	mode_of("a");
	SHOW(open("a/b", O_RDONLY));
	SHOW(open("a/", O_RDONLY));
	SHOW(open("new/", O_CREAT | O_RDWR, 0600));
	SHOW(open("a/", O_CREAT | O_RDWR, 0600));
	SHOW(open("a/b", O_CREAT | O_RDWR, 0600));
	SHOW(open("./", O_CREAT | O_RDWR, 0600));
	SHOW(open("/", O_CREAT | O_RDWR, 0600));
	SHOW(open("x/y/", O_CREAT | O_RDWR, 0600));
	SHOW(open(".", O_RDONLY | O_DIRECTORY));
	SHOW(open("a", O_RDONLY | O_DIRECTORY));
	SHOW(open(".", O_RDWR));
	SHOW(open(".", O_CREAT | O_RDONLY, 0600));
	SHOW(open("no/such", O_CREAT | O_RDWR, 0600));
	SHOW(creat("c", 0751));
	mode_of("c");
	umask(077);
	SHOW(creat("d", 0777));
	mode_of("d");
	SHOW(umask(022));
	SHOW(creat("a", 0777));
	mode_of("a");
	SHOW(open("q", O_CREAT | O_DIRECTORY | O_RDWR, 0600));
	mode_of("q");
	int dir = SHOW(open(".", O_RDONLY));
	SHOW(openat(dir, "c", O_RDONLY));
	SHOW(openat(dir, "missing", O_RDONLY));
	SHOW(openat(999, "c", O_RDONLY));
	SHOW(openat(999, "/", O_RDONLY));
	SHOW(openat(a, "c", O_RDONLY));
	SHOW(openat(AT_FDCWD, "c", O_RDONLY | O_NOFOLLOW));
	SHOW(symlink("c", "link"));
	SHOW(open("link", O_RDONLY | O_NOFOLLOW));
	SHOW(open("link", O_RDONLY));
	SHOW(open("link", O_CREAT | O_EXCL | O_RDWR, 0600));
	SHOW(symlink("later", "dangling"));
	SHOW(open("dangling", O_RDONLY));
	SHOW(open("dangling", O_CREAT | O_RDWR, 0600));
	mode_of("later");
	SHOW(symlink("loop2", "loop1"));
	SHOW(symlink("loop1", "loop2"));
	SHOW(open("loop1", O_RDONLY));
	char name[5000];
	memset(name, 'n', sizeof name);
	name[256] = 0;
	SHOW(open(name, O_RDONLY));
	SHOW(open(name + 1, O_RDONLY));
	name[256] = 'n';
	name[4999] = 0;
	SHOW(open(name, O_RDONLY));
	int t = SHOW(open(".", O_TMPFILE | O_RDWR, 0600));
	SHOW(write(t, "abc", 3));
	SHOW(open(".", O_TMPFILE | O_RDONLY, 0600));
	int p = SHOW(open("c", O_PATH));
	SHOW(read(p, buf, 1));
	SHOW(fcntl(p, F_GETFL));
	struct stat st;
	SHOW(fstat(p, &st));
	SHOW(fchmod(p, 0600));
	struct rlimit r = { 64, 64 };
	SHOW(setrlimit(RLIMIT_NOFILE, &r));
	int last = -1, n = 0, fd;
	while ((fd = open("c", O_RDONLY)) >= 0) { last = fd; n++; }
	printf("%d more, last %d: %s\n", n, last, strerror(errno));
	SHOW(dup(0));
	SHOW(dup2(0, 64));
	SHOW(dup2(0, 63));
	SHOW(close(63));
	SHOW(pipe((int *)buf));
	return 0;
}
