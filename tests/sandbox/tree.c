// The whole tree as it looks at the start and after changes: names, numbers, kinds, rights, sizes and dates are the
// same in the engine and in the sandbox of a native run (crates/cli/tests/sandbox.rs).
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *path)
{
	struct stat s;
	if (lstat(path, &s) != 0) {
		perror(path);
		return;
	}
	printf("%s: device %lx, number %lu, mode %o, links %lu, user %u, group %u, special %lx, size %ld\n", path,
		(long)s.st_dev, (long)s.st_ino, s.st_mode, (long)s.st_nlink, s.st_uid, s.st_gid, (long)s.st_rdev,
		(long)s.st_size);
	printf("  dates %ld %ld %ld\n", (long)s.st_atime, (long)s.st_mtime, (long)s.st_ctime);
}

static void walk(const char *path)
{
	show(path);
	DIR *directory = opendir(path);
	if (!directory) {
		perror(path);
		return;
	}
	struct dirent *entry;
	while ((entry = readdir(directory))) {
		char below[256];
		snprintf(below, sizeof below, "%s/%s", strcmp(path, "/") ? path : "", entry->d_name);
		printf("%s: number %lu, kind %d\n", below, (long)entry->d_ino, entry->d_type);
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
		if (entry->d_type == DT_DIR)
			walk(below);
		else
			show(below);
	}
	closedir(directory);
}

int main(void)
{
	walk("/");
	int fd = open("made", O_CREAT | O_RDWR, 0600), ends[2];
	write(fd, "text", 4);
	pipe(ends);
	mkdir("below", 0750);
	symlink("made", "below/link");
	unlink("made");
	open("again", O_CREAT | O_RDWR, 0644);
	walk("/tmp/work");
	struct stat status;
	fstat(fd, &status);
	printf("%lu\n", (long)status.st_ino);
	show("/proc/self");
	FILE *input = fopen("/dev/stdin", "r");
	printf("standard input %s\n", input ? "opens" : "does not open");
	return 0;
}
