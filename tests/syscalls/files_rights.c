// Permissions of an ordinary user.
#include "show.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(void)
{
	SHOW_TRUE(getuid() != 0 && getuid() == geteuid());
	close(open("f", O_CREAT | O_RDWR, 0200));
	SHOW(open("f", O_RDONLY));
	SHOW_OK(open("f", O_WRONLY));
	SHOW(open("f", O_RDWR));
	SHOW(access("f", R_OK));
	SHOW(access("f", W_OK));
	chmod("f", 0400);
	SHOW_OK(open("f", O_RDONLY));
	SHOW(open("f", O_WRONLY));
	SHOW(open("f", O_RDONLY | O_TRUNC));
	SHOW(truncate("f", 0));
	chmod("f", 0077);
	SHOW(open("f", O_RDONLY));
	mkdir("d", 0755);
	close(open("d/x", O_CREAT | O_RDWR, 0644));
	chmod("d", 0555);
	SHOW(open("d/new", O_CREAT | O_RDWR, 0644));
	SHOW(unlink("d/x"));
	SHOW(mkdir("d/y", 0755));
	SHOW(rename("d/x", "x"));
	SHOW(symlink("a", "d/s"));
	SHOW(link("d/x", "d/z"));
	SHOW_OK(open("d/x", O_RDWR));
	chmod("d", 0666);
	SHOW(open("d/x", O_RDONLY));
	SHOW(stat("d/x", &(struct stat){ 0 }));
	SHOW(chdir("d"));
	SHOW_OK(open("d", O_RDONLY));
	chmod("d", 0333);
	SHOW(open("d", O_RDONLY));
	SHOW_OK(open("d/x", O_RDONLY));
	chmod("d", 0755);
	SHOW(open("/etc/passwd", O_WRONLY));
	SHOW(open("/new-file", O_CREAT | O_WRONLY, 0600));
	SHOW(unlink("/etc/passwd"));
	SHOW(chmod("/etc/passwd", 0666));
	SHOW(access("/etc/passwd", R_OK));
	SHOW(mknod("dev", S_IFCHR | 0600, 0x103));
	return 0;
}
