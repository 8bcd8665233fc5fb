// Streams without files: memory, pushing back, positions, buffers, errors.
#include "../show.h"
#include <err.h>
#include <stdlib.h>
#include <wchar.h>

int main(int argc, char **argv)
{
	char *made = 0, buffer[64], *line = 0;
	size_t size = 0, room = 0;
	FILE *f;
	fpos_t place;
	int c;

	f = open_memstream(&made, &size);
	fprintf(f, "line %d\n", 1);
	fputs("second line\n", f);
	fputc('x', f);
	fclose(f);
	printf("%zu %s\n", size, made);
	f = fmemopen(made, size, "r");
	printf("%zd %s", getline(&line, &room, f), line);
	c = fgetc(f);
	ungetc('S', f);
	printf("%c", fgetc(f));
	printf("%s", fgets(buffer, sizeof buffer, f));
	SHOW(ftell(f));
	SHOW(fseek(f, 5, SEEK_SET));
	SHOW(fgetpos(f, &place));
	SHOW(fscanf(f, "%d %63s", &c, buffer));
	printf("%d %s\n", c, buffer);
	SHOW(fsetpos(f, &place));
	SHOW(fgetc(f));
	SHOW(fseek(f, -1, SEEK_END));
	SHOW(fgetc(f));
	SHOW(fgetc(f));
	SHOW(feof(f) != 0);
	clearerr(f);
	SHOW(feof(f) != 0);
	SHOW(fputc('a', f));
	SHOW(ferror(f) != 0);
	rewind(f);
	SHOW(fread(buffer, 3, 4, f));
	SHOW(fclose(f));
	f = fmemopen(0, 16, "w+");
	SHOW(fprintf(f, "0123456789abcdefghij"));
	SHOW(fflush(f));
	rewind(f);
	SHOW(fread(buffer, 1, sizeof buffer, f));
	fclose(f);

	SHOW(fgetc(stdin));
	SHOW(feof(stdin) != 0);
	SHOW(setvbuf(stdout, 0, _IOLBF, 100));
	SHOW(putw(0x0a414243, stdout));
	SHOW(fileno(stdout));
	SHOW(fseek(stdout, 0, SEEK_SET));
	SHOW(ftell(stdout));
	SHOW(fwide(stderr, 0));
	SHOW_TRUE(fdopen(50, "r") == 0);
	SHOW_TRUE(fopen("name", "q") == 0);
	SHOW_TRUE(popen("true", "x") == 0);
	SHOW(puts("put") >= 0);
	SHOW(dprintf(1, "direct %d\n", 5));
	SHOW(snprintf(buffer, 4, "%s", "truncated"));
	puts(buffer);
	char *as = 0;
	SHOW(asprintf(&as, "%s-%d", "made", 7));
	puts(as);
	fflush(stdout);
	fprintf(stderr, "to stderr %d\n", 1);
	errno = ENOENT;
	perror("perror");
	errno = EACCES;
	warn("warning %d", 2);
	warnx("warning without errno");
	fwprintf(stderr, L"wide to narrow\n");
	fflush(0);
	free(as);
	free(line);
	free(made);
	errno = EINVAL;
	err(4, "the end");
}
