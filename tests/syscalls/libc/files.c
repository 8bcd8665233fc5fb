// Streams over files, temporary files, walking trees, patterns over names, users and groups.
#include "../show.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <wchar.h>

static int seen(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	printf("  %s kind %d level %d base %s size %ld\n", path, kind, at->level, path + at->base,
		S_ISREG(st->st_mode) ? (long)st->st_size : -1L);
	return 0;
}

static int old_seen(const char *path, const struct stat *st, int kind)
{
	(void)st;
	printf("  %s %d\n", path, kind);
	return strcmp(path, "./dir/b") ? 0 : 7;
}

static int not_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void make(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	fputs(text, f);
	fclose(f);
}

int main(void)
{
	char line[64], template[] = "file-XXXXXX", bad[] = "short-XX", folder[] = "dir-XXXXXX", resolved[PATH_MAX];
	struct dirent **names;
	wint_t wide;
	glob_t g;
	FILE *f;
	int n, fd;

	SHOW_TRUE(fopen("absent", "r") == 0);
	f = fopen("a", "w+");
	SHOW(fprintf(f, "one 1\ntwo 2\nthree 3\n"));
	SHOW(fseek(f, 4, SEEK_SET));
	SHOW(fscanf(f, "%d", &n));
	printf("%d\n", n);
	SHOW(ftell(f));
	SHOW(ungetc('Z', f));
	SHOW(ftell(f));
	printf("%c\n", fgetc(f));
	SHOW(fseek(f, -8, SEEK_END));
	printf("%s", fgets(line, sizeof line, f));
	SHOW(fgetc(f));
	SHOW(feof(f) != 0);
	SHOW(fputs("four\n", f) >= 0);
	rewind(f);
	n = 0;
	while (fgets(line, sizeof line, f)) n++;
	printf("%d lines\n", n);
	f = freopen("a", "a", f);
	fputs("five\n", f);
	SHOW(ftell(f));
	SHOW(fclose(f));
	f = fopen("a", "r+");
	SHOW(fwrite("ONE", 1, 3, f));
	SHOW(fflush(f));
	SHOW(fread(line, 1, 5, f));
	printf("%.5s\n", line);
	SHOW(fclose(f));
	SHOW_TRUE(fopen("a", "wx") == 0);
	f = fopen("a", "r");
	SHOW(fputc('x', f));
	SHOW(ferror(f) != 0);
	SHOW(setvbuf(f, 0, _IONBF, 0));
	SHOW(fgetc(f));
	fclose(f);

	f = fopen("wide", "w");
	SHOW(fwide(f, 1) > 0);
	SHOW(fputws(L"wide text\n", f) >= 0);
	fclose(f);
	f = fopen("wide", "r");
	wide = fgetwc(f);
	printf("%lc\n", wide);
	fclose(f);

	f = tmpfile();
	SHOW_TRUE(f != 0);
	if (f) {
		fputs("temporary", f);
		rewind(f);
		printf("%s\n", fgets(line, sizeof line, f));
		fclose(f);
	}
	fd = mkstemp(template);
	SHOW_TRUE(fd >= 0 && strncmp(template, "file-", 5) == 0 && strcmp(template, "file-XXXXXX") != 0);
	SHOW(write(fd, "x", 1));
	SHOW(close(fd));
	SHOW(unlink(template));
	SHOW(mkstemp(bad));
	SHOW_TRUE(mkdtemp(folder) == folder);
	SHOW(rmdir(folder));

	SHOW(mkdir("dir", 0755));
	make("dir/b", "bb");
	make("dir/a", "a");
	SHOW(mkdir("dir/sub", 0700));
	make("dir/sub/.hidden", "");
	SHOW(symlink("dir/a", "link"));
	SHOW_TRUE(realpath("./dir/../link", resolved) != 0);
	printf("%s\n", strrchr(resolved, '/'));
	SHOW_TRUE(realpath("dir/none", resolved) == 0);
	SHOW_TRUE(realpath("a/x", resolved) == 0);
	SHOW(scandir("dir", &names, not_dots, alphasort));
	for (int i = 0; i < 3; i++) printf("%s ", names[i]->d_name);
	puts("");
	SHOW(glob("dir/*", 0, 0, &g));
	for (size_t i = 0; i < g.gl_pathc; i++) printf("%s ", g.gl_pathv[i]);
	puts("");
	globfree(&g);
	SHOW(glob("dir/[b-z]*", GLOB_MARK, 0, &g));
	for (size_t i = 0; i < g.gl_pathc; i++) printf("%s ", g.gl_pathv[i]);
	puts("");
	globfree(&g);
	SHOW(glob("nothing*", 0, 0, &g));
	SHOW(glob("nothing*", GLOB_NOCHECK, 0, &g));
	SHOW(rename("dir/b", "dir/c"));
	SHOW(rename("dir/c", "dir/b"));
	SHOW(nftw("dir/sub", seen, 8, FTW_PHYS));
	SHOW(nftw("a", seen, 8, FTW_PHYS));
	SHOW(ftw("./dir/b", old_seen, 8));
	SHOW(ftw("none", old_seen, 8));
	SHOW(remove("dir/sub/.hidden"));
	SHOW(remove("dir/sub"));
	SHOW(remove("dir"));

	SHOW_TRUE(getpwnam("root") && getpwnam("root")->pw_uid == 0);
	SHOW_TRUE(getpwuid(0) && strcmp(getpwuid(0)->pw_name, "root") == 0);
	SHOW_TRUE(getpwnam("no such user") == 0);
	SHOW_TRUE(getgrnam("root") && getgrnam("root")->gr_gid == 0);
	SHOW_TRUE(getgrgid(0) && strcmp(getgrgid(0)->gr_name, "root") == 0);
	return 0;
}
