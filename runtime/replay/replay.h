/* Inside the replay library: taking the inputs of a test, one after the other.
 * Start at intrinsics.c for what harnesses call, at ktest.c for the file. */
#ifndef FORKWISE_REPLAY_H
#define FORKWISE_REPLAY_H

#include <stddef.h>

#define INTERNAL __attribute__((visibility("hidden")))

/* One input of a test. */
struct test_object {
	const char *name;
	const unsigned char *bytes;
	size_t size;
};

/* A test; its memory lives until the program ends. */
struct test {
	struct test_object *objects;
	size_t count;
};

/* Reads a .ktest file. Returns 0 and fills test, or returns a message. */
INTERNAL const char *read_ktest(const char *path, struct test *test);

/* Fills size bytes at object from the next input of the test. A null name means
 * that the caller has no name to check. */
INTERNAL void take_input(void *object, size_t size, const char *name);

/* The first input called name, which the harness did not ask for by a call;
 * null if there is none. Marks nothing as taken. */
INTERNAL const struct test_object *find_input(const char *name);

/* Says what does not fit between the test and the program, and exits with 1
 * unless KLEE_RUN_TEST_ERRORS_NON_FATAL is set. */
INTERNAL __attribute__((format(printf, 1, 2))) void replay_error(const char *format, ...);

#endif
