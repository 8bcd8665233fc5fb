// What is written to a new file is read back; its name is the program's choice or the user's.
// args: --sym-arg 3 --sym-stdin 1
// expect: exit-codes 0 1 2
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_CREAT | O_EXCL | O_RDWR, 0644);
	if (fd < 0) return 1;
	char c = 0, d = 0;
	if (read(0, &c, 1) != 1) return 9;
	write(fd, &c, 1);
	lseek(fd, 0, SEEK_SET);
	read(fd, &d, 1);
	if (c != d) return 8;
	if (d == '#') return 2;
	return 0;
}
