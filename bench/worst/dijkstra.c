/* dijkstra: the lengths of the shortest ways from the first vertex of a directed
 * graph, with an array instead of a heap. The input is the matrix of lengths; 0
 * is no edge.
 *
 * Worst case, proved: each vertex that is reached makes the ways to all others
 * shorter, and those to higher vertices are always shorter, so that the search
 * for the nearest improves with each vertex: every condition goes its longer
 * way. O(n^1.5) in entries. */
#include "subject.h"

typedef unsigned short Length;

static const unsigned unreachable = ~0u;

static void dijkstra(const Length *lengths, int vertices, unsigned *distance)
{
	char *done = calloc((size_t)vertices, 1);
	for (int v = 0; v < vertices; v++) distance[v] = unreachable;
	distance[0] = 0;
	for (;;) {
		int nearest = -1;
		for (int v = 0; v < vertices; v++)
			if (!done[v])
				if (nearest < 0 || distance[v] < distance[nearest]) nearest = v;
		if (nearest < 0 || distance[nearest] == unreachable) return;
		done[nearest] = 1;
		for (int v = 0; v < vertices; v++) {
			unsigned length = lengths[nearest * vertices + v];
			if (length != 0)
				if (distance[nearest] + length < distance[v])
					distance[v] = distance[nearest] + length;
		}
	}
}

int main(void)
{
	int vertices = subject_vertices(SIZE);
	Length *lengths = INPUT(Length, vertices *vertices, "lengths");
	unsigned *distance = malloc((size_t)vertices * sizeof *distance);
	dijkstra(lengths, vertices, distance);
#ifdef VERIFY
	/* Shortest: no edge leads to a shorter way, and one leads to each vertex. */
	for (int v = 1; v < vertices; v++) {
		int is_reached = distance[v] == unreachable;
		for (int u = 0; u < vertices; u++) {
			unsigned length = lengths[u * vertices + v];
			if (length == 0 || distance[u] == unreachable) continue;
			CHECK(distance[v] <= distance[u] + length);
			is_reached |= distance[v] == distance[u] + length;
		}
		CHECK(is_reached);
	}
#endif
	return 0;
}
