// Arguments, environment, file and standard input at once.
// args: fixed --sym-arg 2 --sym-files 1 2 --sym-stdin 2 --sym-env MODE 1
// expect: exit-codes 1 2 3 4 5
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[1], "fixed")) return 9;
	if (!strcmp(argv[2], "ok")) return 1;
	if (getenv("MODE")[0] == 'q') return 2;
	FILE *f = fopen("A", "r");
	if (fgetc(f) == 'a' && fgetc(f) == 'b') return 3;
	int c = getchar();
	if (c == 'z') return 4;
	getchar();
	return getchar() == EOF ? 5 : 0;
}
