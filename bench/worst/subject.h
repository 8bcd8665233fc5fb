/* subject.h: what the subjects of worst-case searches share.
 *
 * A subject reads its input of SIZE items, runs one algorithm on it and ends.
 * Whatever is not the algorithm is outside of the measured program: checks of
 * the result are compiled with -DVERIFY only, and hand-made worst inputs are
 * tests (xtask/src/bench_worst/manual.rs) for exactly the program that is
 * searched. SIZE is -DN=... or forkwise_size(). */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <forkwise.h>
#include <stdlib.h>

#ifdef N
#define SIZE ((int)(N))
#else
#define SIZE ((int)forkwise_size())
#endif

/* An input of count items of a type, all symbolic. */
#define INPUT(type, count, name) ((type *)subject_input((size_t)(count) * sizeof(type), name))

static inline void *subject_input(size_t bytes, const char *name)
{
	void *object = malloc(bytes ? bytes : 1);
	forkwise_symbolic(object, bytes ? bytes : 1, name);
	return object;
}

/* The number of vertices of the graph whose adjacency matrix has nearest to
 * size entries: 3, 7, 9, 10 for 10, 50, 75, 100; at least 2. */
static inline int subject_vertices(int size)
{
	int n = 2;
	/* (n + 1/2)^2 < size, without fractions. */
	while (n * n + n < size) n++;
	return n;
}

#ifdef VERIFY
#include <stdio.h>
#define CHECK(condition) \
	((condition) ? (void)0 \
		     : (fprintf(stderr, "%s:%d: wrong result: %s\n", __FILE__, __LINE__, #condition), exit(1)))
#endif

#endif
