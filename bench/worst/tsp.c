/* tsp: the shortest tour through all cities, by branch and bound in the order of
 * their numbers: a beginning that is not shorter than the best tour so far is
 * given up. The input is the matrix of lengths; there are as many cities as a
 * graph of this size has vertices.
 *
 * Worst case: the ways home are longer than all others together, so that
 * nothing is given up, and later tours tend to be shorter, so that the best one
 * changes often. How often at most is not known: the best known, not proved.
 * O(n!) in cities. */
#include "subject.h"

typedef unsigned short Length;

static int cities;
static const Length *lengths;
static char *visited;
static unsigned best = ~0u;

static void extend(int city, int count, unsigned length)
{
	if (length >= best) return;
	if (count == cities) {
		unsigned tour = length + lengths[city * cities];
		if (tour < best) best = tour;
		return;
	}
	for (int next = 1; next < cities; next++) {
		if (visited[next]) continue;
		visited[next] = 1;
		extend(next, count + 1, length + lengths[city * cities + next]);
		visited[next] = 0;
	}
}

#ifdef VERIFY
/* The same without giving up. */
static unsigned shortest(int city, int count)
{
	if (count == cities) return lengths[city * cities];
	unsigned least = ~0u;
	for (int next = 1; next < cities; next++) {
		if (visited[next]) continue;
		visited[next] = 1;
		unsigned rest = lengths[city * cities + next] + shortest(next, count + 1);
		if (rest < least) least = rest;
		visited[next] = 0;
	}
	return least;
}
#endif

int main(void)
{
	cities = subject_vertices(SIZE);
	lengths = INPUT(Length, cities *cities, "lengths");
	visited = calloc((size_t)cities, 1);
	extend(0, 1, 0);
#ifdef VERIFY
	CHECK(best == shortest(0, 1));
#endif
	return 0;
}
