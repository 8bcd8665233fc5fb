/* bellman_ford: the lengths of the shortest ways from the first vertex of a
 * directed graph whose edges may be negative. The input is the matrix of
 * lengths; 0 is no edge. Ends when a round changes nothing, or with the answer
 * that there is a negative cycle.
 *
 * Worst case, proved: all edges are equally negative, also from a vertex to
 * itself; then every edge shortens a way in every round. O(n^1.5) in entries. */
#include "subject.h"

typedef short Length;

static const int unreachable = 0x7fffffff;

/* 0 if there is a negative cycle. */
static int bellman_ford(const Length *lengths, int vertices, int *distance)
{
	for (int v = 0; v < vertices; v++) distance[v] = unreachable;
	distance[0] = 0;
	for (int round = 0; round < vertices; round++) {
		int changed = 0;
		for (int u = 0; u < vertices; u++) {
			if (distance[u] == unreachable) continue;
			for (int v = 0; v < vertices; v++) {
				int length = lengths[u * vertices + v];
				if (length != 0)
					if (distance[u] + length < distance[v]) {
						distance[v] = distance[u] + length;
						changed = 1;
					}
			}
		}
		if (!changed) return 1;
	}
	return 0;
}

int main(void)
{
	int vertices = subject_vertices(SIZE);
	Length *lengths = INPUT(Length, vertices *vertices, "lengths");
	int *distance = malloc((size_t)vertices * sizeof *distance);
	int answer = bellman_ford(lengths, vertices, distance);
#ifdef VERIFY
	int can_improve = 0;
	for (int u = 0; u < vertices; u++)
		for (int v = 0; v < vertices; v++) {
			int length = lengths[u * vertices + v];
			if (length != 0 && distance[u] != unreachable)
				can_improve |= distance[u] + length < distance[v];
		}
	CHECK(answer == !can_improve);
#endif
	(void)answer;
	return 0;
}
