// Symbolic names of files that are renamed and removed.
// args: --sym-arg 1 --sym-files 2 1
// expect: exit-codes 0 1 2 3
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat st;
	if (stat(argv[1], &st)) return 1;
	if (!S_ISREG(st.st_mode)) return 2;
	if (rename(argv[1], "B")) return 9;
	if (stat("A", &st) == 0) return 3;
	return unlink("B") ? 9 : 0;
}
