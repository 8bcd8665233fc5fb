/* dfs: whether the last vertex of a directed graph can be reached from the
 * first, depth first. The input is the adjacency matrix; other than 0 is an
 * edge.
 *
 * Worst case, proved: all vertices but the last are connected with each other,
 * and the last is a neighbour of the first alone, so that it is found when all
 * else was visited. O(n) in entries. */
#include "subject.h"

static int vertices;
static const int *edges;
static char *visited;

static int search(int current, int finish)
{
	if (current == finish) return 1;
	visited[current] = 1;
	for (int next = 0; next < vertices; next++)
		if (edges[current * vertices + next] != 0)
			if (!visited[next])
				if (search(next, finish)) return 1;
	return 0;
}

int main(void)
{
	vertices = subject_vertices(SIZE);
	edges = INPUT(int, vertices *vertices, "edges");
	visited = calloc((size_t)vertices, 1);
	int found = search(0, vertices - 1);
#ifdef VERIFY
	/* Grows the set of reached vertices until nothing changes. */
	char *reached = calloc((size_t)vertices, 1);
	reached[0] = 1;
	for (int round = 0; round < vertices; round++)
		for (int u = 0; u < vertices; u++)
			for (int v = 0; v < vertices; v++)
				if (reached[u] && edges[u * vertices + v]) reached[v] = 1;
	CHECK(found == reached[vertices - 1]);
#endif
	(void)found;
	return 0;
}
