// Sorting, searching, tables, trees, options, the environment, jumps, the end.
#include "../show.h"
#include <getopt.h>
#include <search.h>
#include <setjmp.h>
#include <stdlib.h>
#include <libgen.h>
#include <strings.h>

static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int order_strings(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void visit(const void *node, VISIT when, int level)
{
	if (when == postorder || when == leaf) printf(" %s@%d", *(const char *const *)node, level);
}

static void options(char **argv)
{
	int argc = 0, c, index;
	static int flag;
	struct option longs[] = { { "verbose", no_argument, &flag, 3 }, { "output", required_argument, 0, 'o' },
		{ "level", optional_argument, 0, 'l' }, { "version", no_argument, 0, 'V' }, { 0 } };
	while (argv[argc]) argc++;
	optind = 0;
	flag = 0;
	while ((c = getopt_long(argc, argv, "ab:c::o:", longs, &index)) != -1)
		printf("[%c %s]", c ? c : '0', optarg ? optarg : "-");
	printf(" flag %d, rest", flag);
	while (optind < argc) printf(" %s", argv[optind++]);
	puts("");
}

static void nothing(void *p)
{
	(void)p;
}

static jmp_buf buffer;

static void deep(int n)
{
	if (n == 0) longjmp(buffer, 7);
	deep(n - 1);
}

static void first(void) { puts("registered first, runs last"); }
static void second(void) { puts("registered second, runs first"); }

int main(void)
{
	int numbers[50], key, *found;
	void *root = 0;
	const char *words[] = { "pear", "apple", "fig", "date", "cherry", "banana", "elder" };
	ENTRY entry, *e;
	char path[32];

	for (int i = 0; i < 50; i++) numbers[i] = i * 37 % 50;
	qsort(numbers, 50, sizeof *numbers, order);
	for (int i = 0; i < 50; i++) if (numbers[i] != i) puts("not sorted");
	key = 33;
	found = bsearch(&key, numbers, 50, sizeof *numbers, order);
	printf("%d\n", found ? *found : -1);
	key = 77;
	SHOW_TRUE(bsearch(&key, numbers, 50, sizeof *numbers, order) == 0);
	for (int i = 0; i < 7; i++) tsearch(words[i], &root, order_strings);
	twalk(root, visit);
	puts("");
	tdelete("fig", &root, order_strings);
	SHOW_TRUE(tfind("fig", &root, order_strings) == 0);
	SHOW_TRUE(tfind("date", &root, order_strings) != 0);
	tdestroy(root, nothing);
	SHOW(hcreate(10));
	for (int i = 0; i < 7; i++) {
		entry.key = (char *)words[i];
		entry.data = (void *)(long)i;
		hsearch(entry, ENTER);
	}
	entry.key = "cherry";
	e = hsearch(entry, FIND);
	printf("%ld\n", e ? (long)e->data : -1);
	entry.key = "grape";
	SHOW_TRUE(hsearch(entry, FIND) == 0);
	hdestroy();

	options((char *[]){ "prog", "-a", "-b", "x", "file", "--output=out", "--verbose", "-copt", "more", 0 });
	options((char *[]){ "prog", "-ab", "val", "--level", "--level=9", "--", "-a", 0 });
	options((char *[]){ "prog", "--verb", "--ver", "-z", "-b", 0 });
	options((char *[]){ "prog", "--output", 0 });
	options((char *[]){ "prog", "--unknown", "--verbose=1", 0 });

	SHOW(setenv("NAME", "value", 1));
	SHOW(setenv("NAME", "other", 0));
	printf("%s\n", getenv("NAME"));
	SHOW(setenv("A=B", "x", 1));
	SHOW(putenv("PUT=here"));
	printf("%s\n", getenv("PUT"));
	SHOW(unsetenv("NAME"));
	SHOW_TRUE(getenv("NAME") == 0);
	SHOW(clearenv());
	SHOW_TRUE(getenv("PUT") == 0);

	key = setjmp(buffer);
	printf("%d\n", key);
	if (key == 0) deep(10);

	printf("%s ", basename(strcpy(path, "/usr/lib/x.so")));
	printf("%s\n", dirname(strcpy(path, "/usr/lib/x.so")));
	char line[] = "a,b;;c", *save, *tok;
	for (tok = strtok_r(line, ",;", &save); tok; tok = strtok_r(0, ",;", &save)) printf("<%s>", tok);
	char seps[] = "a,,b", *rest = seps;
	while ((tok = strsep(&rest, ","))) printf("<%s>", tok);
	puts("");
	printf("%d %d %s %d\n", strcasecmp("HeLLo", "hello"), strncasecmp("abcX", "ABCy", 3), strpbrk("hello", "lo"), ffs(8));
	printf("%s %s\n", strerror(ENOENT), strsignal(11));
	printf("%d %d\n", strverscmp("a10", "a9") > 0, memmem("haystack", 8, "st", 2) != 0);
	srand(1);
	int r1 = rand();
	srand(1);
	SHOW_TRUE(r1 == rand());
	srandom(5);
	printf("%ld %.6f\n", random() % 1000, drand48());
	atexit(first);
	atexit(second);
	return 3;
}
