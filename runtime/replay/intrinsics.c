/* What a harness calls, in a native replay: inputs come from the test that the
 * environment variable KTEST_FILE names, in the order in which the engine made
 * them. Messages, exit status and KLEE_RUN_TEST_ERRORS_NON_FATAL are those of
 * KLEE's library of the same name, since scripts look for them. */
#include "replay.h"

#include "forkwise.h"
#include "klee/klee.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static struct test test;
static int loaded;
static size_t position;

void replay_error(const char *format, ...)
{
	va_list arguments;
	fprintf(stderr, "KLEE_RUN_TEST_ERROR: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	if (!getenv("KLEE_RUN_TEST_ERRORS_NON_FATAL")) exit(1);
	fprintf(stderr, "KLEE_RUN_TEST_ERROR: Forcing execution to continue\n");
}

static void load(void)
{
	char line[4096];
	const char *path = getenv("KTEST_FILE");
	if (loaded) return;
	loaded = 1;
	if (!path) {
		printf("KLEE-RUNTIME: KTEST_FILE not set, please enter .ktest path: ");
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin) || line[0] == '\n') {
			fprintf(stderr, "KLEE-RUNTIME: cannot replay, no KTEST_FILE or user input\n");
			exit(1);
		}
		line[strcspn(line, "\n")] = 0;
		path = line;
	}
	const char *error = read_ktest(path, &test);
	if (error) {
		fprintf(stderr, "KLEE-RUNTIME: unable to open .ktest file\n");
		fprintf(stderr, "KLEE-RUNTIME: %s: %s\n", path, error);
		exit(1);
	}
}

/* Notes of KLEE's POSIX model about itself; harnesses do not ask for it. */
static int is_bookkeeping(const struct test_object *object)
{
	return !strcmp(object->name, "model_version");
}

void take_input(void *object, size_t size, const char *name)
{
	load();
	while (position < test.count && is_bookkeeping(&test.objects[position])
		&& !(name && !strcmp(name, test.objects[position].name)))
		position++;
	if (position == test.count) {
		replay_error("out of inputs. Will use zero if continuing.");
		memset(object, 0, size);
		return;
	}
	const struct test_object *input = &test.objects[position++];
	if (name && strcmp(name, input->name))
		replay_error("object name mismatch. Requesting \"%s\" but returning \"%s\"", name,
			input->name);
	size_t common = size < input->size ? size : input->size;
	memcpy(object, input->bytes, common);
	if (size != input->size) {
		replay_error("object sizes differ. Expected %zu but got %zu", size, input->size);
		memset((char *)object + common, 0, size - common);
	}
}

const struct test_object *find_input(const char *name)
{
	load();
	for (size_t i = 0; i < test.count; i++)
		if (!strcmp(test.objects[i].name, name)) return &test.objects[i];
	return 0;
}

/* klee/klee.h */

void klee_make_symbolic(void *addr, size_t nbytes, const char *name)
{
	take_input(addr, nbytes, name ? name : "unnamed");
}

int klee_range(int begin, int end, const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	if (value < begin || value >= end)
		replay_error("invalid klee_range(%d,%d,%s) value, got: %d", begin, end, name, value);
	return value;
}

int klee_int(const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	return value;
}

uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t value;
	klee_make_symbolic(&value, sizeof value, "klee_choose");
	if (value >= n)
		replay_error("klee_choose failure. max = %lu, got = %lu", (unsigned long)n,
			(unsigned long)value);
	return value;
}

void klee_assume(uintptr_t condition)
{
	if (!condition) replay_error("invalid klee_assume");
}

void klee_silent_exit(int status)
{
	exit(status);
}

void klee_abort(void)
{
	abort();
}

void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
	fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
	abort();
}

void klee_define_fixed_object(void *addr, size_t nbytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)addr & -page;
	uintptr_t end = ((uintptr_t)addr + nbytes + page - 1) & -page;
	/* Two fixed objects may share a page, so pages that exist are fine. */
	for (uintptr_t at = begin; at != end; at += page) {
		void *got = mmap((void *)at, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (got == MAP_FAILED && errno != EEXIST)
			replay_error("cannot map the fixed object at %p: %s", addr, strerror(errno));
	}
}

size_t klee_get_obj_size(void *ptr)
{
	replay_error("klee_get_obj_size(%p): sizes of objects are not known in a native run", ptr);
	return 0;
}

/* Present when the program was built with AddressSanitizer. */
__attribute__((weak)) void *__asan_region_is_poisoned(void *begin, size_t size);

void klee_check_memory_access(const void *address, size_t size)
{
	if (&__asan_region_is_poisoned && __asan_region_is_poisoned((void *)address, size)) {
		fprintf(stderr, "klee_check_memory_access: %zu bytes at %p are not accessible\n", size,
			address);
		abort();
	}
	for (size_t i = 0; i < size; i++) (void)((const volatile char *)address)[i];
}

unsigned klee_is_symbolic(uintptr_t n)
{
	(void)n;
	return 0;
}

unsigned klee_is_replay(void)
{
	return 1;
}

float klee_get_valuef(float expr) { return expr; }
double klee_get_valued(double expr) { return expr; }
long klee_get_valuel(long expr) { return expr; }
long long klee_get_valuell(long long expr) { return expr; }
int32_t klee_get_value_i32(int32_t expr) { return expr; }
int64_t klee_get_value_i64(int64_t expr) { return expr; }

int klee_get_errno(void)
{
	return errno;
}

/* The rest speaks to the engine alone and means nothing in a native run. */
void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_mark_global(void *object) { (void)object; }
void klee_print_expr(const char *msg, ...) { (void)msg; }
void klee_print_range(const char *name, int arg) { (void)name, (void)arg; }
void klee_stack_trace(void) {}
void klee_warning(const char *message) { (void)message; }
void klee_warning_once(const char *message) { (void)message; }
void klee_set_forking(unsigned enable) { (void)enable; }
void klee_open_merge(void) {}
void klee_close_merge(void) {}
void klee_alias_function(const char *fn_name, const char *new_fn_name) { (void)fn_name, (void)new_fn_name; }

/* forkwise.h */

void forkwise_symbolic(void *object, size_t size, const char *name)
{
	klee_make_symbolic(object, size, name);
}

void forkwise_assume(uintptr_t condition)
{
	klee_assume(condition);
}

size_t forkwise_size(void)
{
	const char *text = getenv("FORKWISE_SIZE");
	return text ? strtoull(text, 0, 10) : 0;
}

int forkwise_is_symbolic(uintptr_t value)
{
	(void)value;
	return 0;
}

int forkwise_is_replay(void)
{
	return 1;
}
