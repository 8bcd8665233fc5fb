// Duplicates, flags, locks, pipes, ioctl.
#include "show.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

int main(void)
{
	char buf[70000] = "";
	int fd = open("f", O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(fd, F_GETFL));
	int d = SHOW(dup(fd));
	SHOW(fcntl(d, F_GETFD));
	SHOW(write(fd, "12345", 5));
	SHOW(lseek(d, 0, SEEK_CUR));
	SHOW(dup(99));
	SHOW(dup(-1));
	SHOW(dup2(fd, 20));
	SHOW(dup2(fd, fd));
	SHOW(dup2(99, 21));
	SHOW(dup2(99, 99));
	SHOW(dup2(fd, -1));
	SHOW(dup3(fd, 22, O_CLOEXEC));
	SHOW(fcntl(22, F_GETFD));
	SHOW(dup3(fd, fd, 0));
	SHOW(dup3(fd, 23, 1));
	SHOW(fcntl(fd, F_DUPFD, 30));
	SHOW(fcntl(fd, F_DUPFD_CLOEXEC, 30));
	SHOW(fcntl(31, F_GETFD));
	SHOW(fcntl(fd, F_DUPFD, -1));
	SHOW(fcntl(fd, F_DUPFD, 100000000));
	SHOW(fcntl(99, F_GETFL));
	SHOW(fcntl(fd, 12345));
	SHOW(fcntl(fd, F_SETFD, 0));
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
	SHOW(fcntl(d, F_GETFL));
	SHOW(fcntl(fd, F_SETFL, O_RDONLY));
	SHOW(fcntl(fd, F_GETFL));
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	SHOW(fcntl(fd, F_SETLK, &l));
	SHOW(fcntl(fd, F_GETLK, &l));
	SHOW_TRUE(l.l_type == F_UNLCK);
	l.l_type = 77;
	SHOW(fcntl(fd, F_SETLK, &l));
	SHOW(fcntl(fd, F_SETLK, NOWHERE));
	l.l_type = F_WRLCK;
	SHOW(fcntl(open("f", O_RDONLY), F_SETLK, &l));
	SHOW(flock(fd, LOCK_EX));
	SHOW(flock(fd, LOCK_UN | LOCK_NB));
	SHOW(flock(fd, 77));
	SHOW(flock(99, LOCK_EX));
	SHOW(close(20));
	SHOW(close(22));

	int p[2];
	SHOW(pipe(p));
	printf("%d %d\n", p[0], p[1]);
	SHOW(fcntl(p[0], F_GETFL));
	SHOW(fcntl(p[1], F_GETFL));
	SHOW(write(p[1], "pipe", 4));
	int n = 0;
	SHOW(ioctl(p[0], FIONREAD, &n));
	printf("%d\n", n);
	SHOW(read(p[0], buf, 2));
	SHOW(read(p[0], buf, 20));
	SHOW(read(p[1], buf, 1));
	SHOW(write(p[0], buf, 1));
	SHOW(lseek(p[0], 0, SEEK_SET));
	SHOW(pread(p[0], buf, 1, 0));
	SHOW(fcntl(p[0], F_SETFL, O_NONBLOCK));
	SHOW(read(p[0], buf, 1));
	SHOW(fcntl(p[1], F_SETFL, O_NONBLOCK));
	SHOW(write(p[1], buf, 65536));
	SHOW(write(p[1], buf, 1));
	SHOW(read(p[0], buf, 100));
	SHOW(read(p[0], buf, 70000));
	SHOW(write(p[1], "x", 1));
	SHOW(close(p[1]));
	SHOW(read(p[0], buf, 5));
	SHOW(read(p[0], buf, 5));
	SHOW(close(p[0]));
	SHOW(pipe2(p, O_CLOEXEC | O_NONBLOCK));
	SHOW(fcntl(p[0], F_GETFD));
	SHOW(fcntl(p[1], F_GETFL));
	SHOW(pipe2(p, O_APPEND));
	SHOW(pipe(NOWHERE));
	signal(SIGPIPE, SIG_IGN);
	SHOW(close(p[0]));
	SHOW(write(p[1], "x", 1));
	SHOW(mkfifo("fifo", 0600));
	SHOW(mkfifo("fifo", 0600));
	int r = SHOW(open("fifo", O_RDONLY | O_NONBLOCK));
	SHOW(read(r, buf, 3));
	int w = SHOW(open("fifo", O_WRONLY));
	SHOW(write(w, "abc", 3));
	SHOW(read(r, buf, 9));
	SHOW(read(r, buf, 9));
	SHOW(close(r));
	SHOW(open("fifo", O_WRONLY | O_NONBLOCK));
	SHOW(open("fifo", O_RDWR));

	struct winsize ws;
	struct termios t;
	SHOW(isatty(1));
	SHOW(isatty(fd));
	SHOW(isatty(99));
	SHOW(ioctl(1, TIOCGWINSZ, &ws));
	SHOW(tcgetattr(fd, &t));
	SHOW(ioctl(99, TIOCGWINSZ, &ws));
	lseek(fd, 2, SEEK_SET);
	SHOW(ioctl(fd, FIONREAD, &n));
	printf("%d\n", n);
	n = 1;
	SHOW(ioctl(fd, FIONBIO, &n));
	SHOW(fcntl(fd, F_GETFL));
	SHOW(ioctl(fd, FIOCLEX));
	SHOW(fcntl(fd, F_GETFD));
	SHOW(ioctl(fd, 0x12345678, 0));
	SHOW(close(0));
	SHOW(open("f", O_RDONLY));
	SHOW(read(0, buf, 2));
	dup2(1, 50);
	fflush(stdout);
	write(50, "dup of stdout\n", 14);
	int saved = dup(1);
	int file = open("redirected", O_CREAT | O_WRONLY, 0600);
	dup2(file, 1);
	puts("goes to the file");
	fflush(stdout);
	dup2(saved, 1);
	struct stat st;
	stat("redirected", &st);
	printf("%ld\n", (long)st.st_size);
	SHOW(syscall(SYS_close_range, 3, ~0U, 0));
	SHOW(fcntl(fd, F_GETFD));
	SHOW(syscall(SYS_close_range, 5, 4, 0));
	return 0;
}
