/* bfs: whether the last vertex of a directed graph can be reached from the
 * first, breadth first. The input is the adjacency matrix; other than 0 is an
 * edge.
 *
 * Worst case, proved: all vertices are connected; the last is found last, because
 * neighbours are taken in their order. O(n) in entries. */
#include "subject.h"

static int bfs(const int *edges, int vertices, int start, int finish)
{
	int *queue = malloc((size_t)vertices * sizeof *queue);
	char *seen = calloc((size_t)vertices, 1);
	int head = 0, tail = 0;
	queue[tail++] = start;
	seen[start] = 1;
	while (head < tail) {
		int current = queue[head++];
		if (current == finish) return 1;
		for (int next = 0; next < vertices; next++) {
			if (edges[current * vertices + next] != 0) {
				if (!seen[next]) {
					seen[next] = 1;
					queue[tail++] = next;
				}
			}
		}
	}
	return 0;
}

int main(void)
{
	int vertices = subject_vertices(SIZE);
	int *edges = INPUT(int, vertices *vertices, "edges");
	int found = bfs(edges, vertices, 0, vertices - 1);
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
