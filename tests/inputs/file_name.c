// A symbolic file name is one of the names that exist, or none of them; not every string becomes a path.
// args: --sym-args 0 1 8 --sym-files 2 3
// expect: exit-codes 0 1 2 3 4
// expect: paths <= 20
#include <errno.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc < 2) return 2;
	FILE *f = fopen(argv[1], "r");
	if (!f) return errno == ENOENT ? 1 : 0;
	int c = fgetc(f);
	if (c == EOF) return 3;
	if (c == 'x') return 4;
	return 0;
}
