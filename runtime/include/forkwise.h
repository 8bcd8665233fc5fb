/* forkwise.h: writing harnesses for Forkwise.
 *
 * A harness is an ordinary C program that declares what its inputs are:
 *
 *     #include <forkwise.h>
 *
 *     int main(void) {
 *         char text[8];
 *         forkwise_symbolic(text, sizeof text, "text");
 *         text[7] = 0;
 *         forkwise_assert(parse(text) >= 0);
 *     }
 *
 * `forkwise run harness.c` explores it. The same file, compiled natively and
 * linked with libforkwise-replay.a, runs on one test: the environment variable
 * KTEST_FILE names it. A harness is deterministic apart from its inputs; what
 * it reads from elsewhere cannot be replayed. */
#ifndef FORKWISE_H
#define FORKWISE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the size bytes at object an input called name. object must be the start
 * of an object of exactly that size. Names may repeat; inputs are told apart by
 * the order in which they are made. */
void forkwise_symbolic(void *object, size_t size, const char *name);

/* Restricts the path to inputs for which condition is not zero. Where no input
 * remains, the path ends without a bug. */
void forkwise_assume(uintptr_t condition);

/* The size a harness should give to its inputs, where it can choose:
 * `forkwise run --size N`, the environment variable FORKWISE_SIZE in a replay.
 * Worst-case searches vary it. */
size_t forkwise_size(void);

/* Whether value depends on an input; always 0 in a replay. Meant for
 * diagnostics: a program that branches on it behaves differently in replay. */
int forkwise_is_symbolic(uintptr_t value);

/* 1 in a native replay, 0 in the engine. */
int forkwise_is_replay(void);

/* An unconstrained int input. */
static inline int forkwise_int(const char *name)
{
	int value;
	forkwise_symbolic(&value, sizeof value, name);
	return value;
}

/* An int input with begin <= value < end; no path goes on where begin >= end. */
static inline int forkwise_range(int begin, int end, const char *name)
{
	int value;
	forkwise_symbolic(&value, sizeof value, name);
	forkwise_assume(begin < end);
	/* One comparison instead of two, so that the assumption never forks. */
	forkwise_assume((unsigned)value - (unsigned)begin < (unsigned)end - (unsigned)begin);
	return value;
}

/* A size_t input below n. */
static inline size_t forkwise_choose(size_t n)
{
	size_t value;
	forkwise_symbolic(&value, sizeof value, "forkwise_choose");
	forkwise_assume(value < n);
	return value;
}

/* The C library's, declared here because <assert.h> hides it under NDEBUG; the
 * two libraries disagree about the type of the line. */
#ifndef __cplusplus
#ifdef __GLIBC__
__attribute__((noreturn)) void __assert_fail(const char *, const char *, unsigned, const char *);
#else
__attribute__((noreturn)) void __assert_fail(const char *, const char *, int, const char *);
#endif
#endif

/* assert that NDEBUG does not switch off: a failure is a bug. */
#define forkwise_assert(condition) \
	((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))

#ifdef __cplusplus
}
#endif

#endif
