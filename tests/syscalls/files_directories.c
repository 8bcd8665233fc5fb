// Making, removing, renaming and listing names; the working directory.
#include "show.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static int compare(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

static void list(const char *name)
{
	char *names[32];
	int n = 0;
	DIR *d = opendir(name);
	if (!d) {
		printf("%s: %s\n", name, strerror(errno));
		return;
	}
	struct dirent *e;
	while ((e = readdir(d))) {
		char text[300];
		snprintf(text, sizeof text, "%s(%d)", e->d_name, e->d_type);
		names[n++] = strdup(text);
	}
	closedir(d);
	qsort(names, n, sizeof *names, compare);
	printf("%s:", name);
	for (int i = 0; i < n; i++) printf(" %s", names[i]);
	puts("");
}

static void links(const char *name)
{
	struct stat st;
	if (lstat(name, &st)) printf("%s: %s\n", name, strerror(errno));
	else printf("%s: mode %o links %ld\n", name, st.st_mode, (long)st.st_nlink);
}

int main(void)
{
	list(".");
	SHOW(mkdir("d", 0777));
	SHOW(mkdir("d", 0777));
	SHOW(mkdir("d/", 0777));
	SHOW(mkdir(".", 0777));
	SHOW(mkdir("/", 0777));
	SHOW(mkdir("", 0777));
	SHOW(mkdir("no/such", 0777));
	SHOW(mkdir("d/e/", 07777));
	links("d");
	links("d/e");
	SHOW(mkdir(NOWHERE, 0777));
	int fd = open("d/f", O_CREAT | O_RDWR, 0644);
	SHOW(mkdir("d/f/g", 0777));
	SHOW(mkdirat(fd, "x", 0777));
	SHOW(mkdirat(99, "x", 0777));
	int d = open("d", O_RDONLY | O_DIRECTORY);
	SHOW(mkdirat(d, "x", 0700));
	list("d");
	links("d");
	SHOW(rmdir("d"));
	SHOW(rmdir("d/f"));
	SHOW(rmdir("d/."));
	SHOW(rmdir("d/e/.."));
	SHOW(rmdir("missing"));
	SHOW(rmdir("/"));
	SHOW(rmdir("d/e/"));
	SHOW(unlink("d"));
	SHOW(unlink("d/x"));
	SHOW(unlink("d/f/"));
	SHOW(unlink("."));
	SHOW(unlink("missing"));
	SHOW(unlink("d/missing/x"));
	SHOW(unlink("d/f/x"));
	SHOW(unlink("d/f"));
	SHOW(write(fd, "still", 5));
	struct stat st;
	SHOW(fstat(fd, &st));
	printf("%ld %ld\n", (long)st.st_nlink, (long)st.st_size);
	SHOW(unlinkat(d, "x", 0));
	SHOW(unlinkat(d, "x", AT_REMOVEDIR));
	SHOW(unlinkat(d, "x", 77));
	links("d");

	close(open("a", O_CREAT | O_RDWR, 0644));
	SHOW(link("a", "b"));
	links("a");
	SHOW(link("a", "b"));
	SHOW(link("missing", "c"));
	SHOW(link("d", "c"));
	SHOW(link("a", "c/"));
	SHOW(link("a", "no/c"));
	SHOW(linkat(AT_FDCWD, "a", d, "a2", 0));
	SHOW(linkat(AT_FDCWD, "a", d, "a3", 77));
	links("a");
	SHOW(unlink("b"));
	links("a");
	SHOW(symlink("a", "s"));
	SHOW(symlink("a", "s"));
	SHOW(symlink("", "t"));
	SHOW(symlink("a", "t/"));
	links("s");
	char buf[100] = "";
	SHOW(readlink("s", buf, sizeof buf));
	printf("%s\n", buf);
	SHOW(readlink("a", buf, sizeof buf));
	SHOW(readlink("missing", buf, sizeof buf));
	SHOW(readlink("s", buf, 0));
	SHOW(readlink("s", NOWHERE, 5));
	SHOW(symlink("longer target", "s2"));
	SHOW(readlink("s2", buf, 4));
	SHOW(readlinkat(AT_FDCWD, "s2", buf, 100));
	SHOW(symlinkat("../a", d, "up"));
	SHOW(stat("d/up", &st));
	SHOW(link("s", "s3"));
	links("s3");
	SHOW(linkat(AT_FDCWD, "s", AT_FDCWD, "s4", AT_SYMLINK_FOLLOW));
	links("s4");

	SHOW(rename("a", "z"));
	SHOW(rename("a", "z"));
	SHOW(rename("z", "z"));
	SHOW(rename("z", "s4"));
	links("z");
	links("s4");
	SHOW(rename("z", "d"));
	SHOW(rename("d", "z"));
	SHOW(mkdir("e", 0755));
	SHOW(rename("e", "d"));
	SHOW(rename("d", "e"));
	SHOW(rename("e", "e/inside"));
	SHOW(rename("e", "e/x/inside"));
	SHOW(mkdir("e/sub", 0755));
	SHOW(rename("e/sub", "e"));
	SHOW(rename("e/sub", "moved"));
	links("e");
	links("moved");
	SHOW(rename(".", "q"));
	SHOW(rename("e", "moved/.."));
	SHOW(rename("z/", "y"));
	SHOW(rename("moved/", "back/"));
	SHOW(rename("z", "y/"));
	SHOW(rename("s", "renamed-link"));
	links("renamed-link");
	SHOW(syscall(SYS_renameat2, AT_FDCWD, "z", AT_FDCWD, "back", 1));
	SHOW(syscall(SYS_renameat2, AT_FDCWD, "z", AT_FDCWD, "back", 2));
	links("z");
	links("back");
	SHOW(syscall(SYS_renameat2, AT_FDCWD, "z", AT_FDCWD, "none", 2));
	SHOW(syscall(SYS_renameat2, AT_FDCWD, "z", AT_FDCWD, "none", 3));
	SHOW(renameat(d, "up", AT_FDCWD, "up"));
	list(".");
	list("e");
	list("missing");
	list("s3");

	char cwd[300], before[300];
	getcwd(before, sizeof before);
	SHOW(chdir("e"));
	getcwd(cwd, sizeof cwd);
	printf("%s\n", cwd + strlen(before));
	SHOW(chdir("missing"));
	SHOW(chdir("a2"));
	SHOW(chdir(".."));
	SHOW(fchdir(d));
	SHOW(fchdir(fd));
	SHOW(fchdir(99));
	SHOW_TRUE(getcwd(cwd, 2) == NULL && errno == ERANGE);
	SHOW(syscall(SYS_getcwd, NOWHERE, 100));
	SHOW(chdir("/"));
	puts(getcwd(cwd, sizeof cwd));
	SHOW(chdir(before));
	SHOW(mkdir("gone", 0755));
	SHOW(chdir("gone"));
	SHOW(rmdir("../gone"));
	SHOW_TRUE(getcwd(cwd, sizeof cwd) == NULL && errno == ENOENT);
	SHOW(open("x", O_CREAT | O_RDWR, 0600));
	SHOW(mkdir("x", 0700));
	SHOW(chdir(".."));
	SHOW(syscall(SYS_getdents64, d, buf, 8));
	SHOW(syscall(SYS_getdents64, fd, buf, 100));
	SHOW(syscall(SYS_getdents64, 99, buf, 100));
	SHOW(mknod("node", S_IFREG | 0640, 0));
	links("node");
	SHOW(mknod("pipe", S_IFIFO | 0640, 0));
	links("pipe");
	SHOW(mknod("weird", 0170000 | 0640, 0));
	DIR *dir = opendir("e");
	int n = 0;
	while (readdir(dir)) n++;
	rewinddir(dir);
	while (readdir(dir)) n++;
	printf("%d\n", n);
	char deep[4096] = "";
	for (int i = 0; i < 45; i++) {
		char from[20], to[20];
		sprintf(from, "l%d", i);
		sprintf(to, "l%d", i + 1);
		symlink(to, from);
	}
	close(open("l45", O_CREAT | O_RDWR, 0600));
	SHOW(open("l4", O_PATH));
	SHOW(open("l5", O_PATH));
	SHOW(open("l6", O_PATH));
	for (int i = 0; i < 40; i++) strcat(deep, "./");
	strcat(deep, "l45");
	SHOW(access(deep, F_OK));
	return 0;
}
