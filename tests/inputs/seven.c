// Output that depends on symbolic input, through a duplicate of standard output.
// args: --sym-stdin 1
// expect: exit-codes 0 7
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int c = getchar();
	dprintf(dup(1), "[%c]\n", c);
	putchar(c ^ 1);
	if (c == '7') return 7;
	return 0;
}
