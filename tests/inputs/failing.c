// System calls that fail on purpose: at most one here.
// args: --max-fail 1 --sym-files 1 2
// native: skip
// expect: exit-codes 0 1 2 3
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	char b[2];
	int fd = open("A", O_RDONLY);
	if (read(fd, b, 1) != 1) return 1;
	if (read(fd, b, 1) != 1) return 2;
	if (close(fd) != 0) return 3;
	return 0;
}
