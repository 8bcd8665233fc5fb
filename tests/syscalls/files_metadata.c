// What is known of files, and changing it.
#include "show.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static void tell(const char *name, struct stat *st)
{
	printf("%s: mode %o links %ld size %ld blksize %ld blocks %ld rdev %d:%d\n", name, st->st_mode,
	       (long)st->st_nlink, (long)st->st_size, (long)st->st_blksize, (long)st->st_blocks, major(st->st_rdev),
	       minor(st->st_rdev));
}

static void show_times(const char *name)
{
	struct stat st;
	lstat(name, &st);
	printf("%s: %ld.%09ld %ld.%09ld\n", name, (long)st.st_atim.tv_sec, st.st_atim.tv_nsec, (long)st.st_mtim.tv_sec,
	       st.st_mtim.tv_nsec);
}

int main(void)
{
	struct stat st, st2;
	int fd = open("f", O_CREAT | O_RDWR, 0640);
	SHOW(write(fd, "hello", 5));
	SHOW(fstat(fd, &st));
	tell("f", &st);
	SHOW(stat("f", &st2));
	SHOW_TRUE(st.st_ino == st2.st_ino && st.st_dev == st2.st_dev);
	SHOW_TRUE(st.st_uid == getuid() && st.st_gid == getgid());
	SHOW(stat("missing", &st));
	SHOW(stat("f/x", &st));
	SHOW(syscall(SYS_stat, "f", NOWHERE));
	SHOW(stat(NOWHERE, &st));
	SHOW(fstat(99, &st));
	SHOW(syscall(SYS_fstat, fd, NOWHERE));
	SHOW(stat(".", &st));
	printf(".: mode %o\n", st.st_mode);
	symlink("f", "link");
	SHOW(lstat("link", &st));
	printf("link: mode %o links %ld size %ld\n", st.st_mode, (long)st.st_nlink, (long)st.st_size);
	SHOW(stat("link", &st));
	SHOW(fstatat(AT_FDCWD, "link", &st, AT_SYMLINK_NOFOLLOW));
	SHOW(fstatat(AT_FDCWD, "link", &st, 0x40000000));
	SHOW(fstatat(fd, "", &st, AT_EMPTY_PATH));
	SHOW(fstatat(fd, "", &st, 0));
	SHOW(fstatat(fd, "x", &st, 0));
	SHOW(stat("/dev/null", &st));
	tell("/dev/null", &st);
	SHOW(fstat(0, &st));
	tell("stdin", &st);
	SHOW(fstat(1, &st));
	tell("stdout", &st);
	SHOW_TRUE(fstat(2, &st2) == 0 && st.st_ino != st2.st_ino);
	struct statx { unsigned mask, blksize; unsigned long attributes; unsigned nlink, uid, gid; unsigned short mode, pad; unsigned long ino, size, blocks; char rest[200]; } sx;
	SHOW(syscall(SYS_statx, AT_FDCWD, "f", 0, 0x7ff, &sx));
	printf("%o %u %lu %lu %u\n", sx.mode, sx.nlink, sx.size, sx.blocks, sx.blksize);
	SHOW(syscall(SYS_statx, AT_FDCWD, "missing", 0, 0x7ff, &sx));
	SHOW(syscall(SYS_statx, fd, "", AT_EMPTY_PATH, 0x7ff, &sx));
	SHOW(syscall(SYS_statx, AT_FDCWD, "f", 0x6000, 0x7ff, &sx));

	SHOW(access("f", F_OK));
	SHOW(access("f", R_OK | W_OK));
	SHOW(access("missing", F_OK));
	SHOW(access("f", 8));
	SHOW(access("f/", F_OK));
	SHOW(access(".", X_OK));
	SHOW(faccessat(AT_FDCWD, "link", F_OK, AT_SYMLINK_NOFOLLOW));
	SHOW(access(NOWHERE, F_OK));

	SHOW(chmod("f", 0));
	SHOW(stat("f", &st));
	printf("%o\n", st.st_mode);
	SHOW(chmod("f", 07777));
	stat("f", &st);
	printf("%o\n", st.st_mode);
	SHOW(write(fd, "x", 1));
	stat("f", &st);
	SHOW(chmod("missing", 0600));
	SHOW(fchmod(fd, 0751));
	SHOW(fchmod(99, 0751));
	SHOW(fchmodat(AT_FDCWD, "f", 0710, 0));
	stat("f", &st);
	printf("%o\n", st.st_mode);
	SHOW(chmod("link", 0600));
	lstat("link", &st);
	printf("%o\n", st.st_mode);
	SHOW(chown("f", getuid(), getgid()));
	SHOW(chown("f", -1, -1));
	SHOW(chown("missing", -1, -1));
	SHOW(fchown(fd, -1, getgid()));
	SHOW(fchown(99, -1, -1));
	SHOW(lchown("link", -1, -1));
	SHOW(fchownat(AT_FDCWD, "f", -1, -1, 77));

	struct timespec ts[2] = { { 1000, 5 }, { 2000, 7 } };
	SHOW(utimensat(AT_FDCWD, "f", ts, 0));
	show_times("f");
	ts[0].tv_nsec = UTIME_OMIT;
	ts[1].tv_sec = 3000;
	SHOW(utimensat(AT_FDCWD, "f", ts, 0));
	show_times("f");
	ts[1].tv_nsec = 1000000000;
	SHOW(utimensat(AT_FDCWD, "f", ts, 0));
	ts[1].tv_nsec = 0;
	SHOW(futimens(fd, ts));
	SHOW(futimens(99, ts));
	show_times("f");
	SHOW(utimensat(AT_FDCWD, "missing", ts, 0));
	SHOW(syscall(SYS_utimensat, AT_FDCWD, "f", NOWHERE, 0));
	SHOW(utimensat(AT_FDCWD, "link", ts, AT_SYMLINK_NOFOLLOW));
	struct utimbuf ut = { 11, 22 };
	SHOW(utime("f", &ut));
	show_times("f");
	struct timeval tv[2] = { { 33, 44 }, { 55, 66 } };
	SHOW(utimes("f", tv));
	show_times("f");
	SHOW(utime("f", NULL));
	SHOW(utime("missing", NULL));
	struct statfs fs;
	SHOW(statfs(".", &fs));
	SHOW(statfs("missing", &fs));
	SHOW(fstatfs(fd, &fs));
	SHOW(fstatfs(99, &fs));
	char buf[100];
	SHOW(getxattr("missing", "user.x", buf, 10));
	SHOW(listxattr("missing", buf, 100));
	SHOW(fgetxattr(99, "user.x", buf, 10));
	int m = SHOW(syscall(SYS_memfd_create, "name", 0));
	SHOW(write(m, "abc", 3));
	SHOW(fstat(m, &st));
	printf("%o %ld %ld\n", st.st_mode, (long)st.st_nlink, (long)st.st_size);
	SHOW(fcntl(m, F_GETFL));
	return 0;
}
