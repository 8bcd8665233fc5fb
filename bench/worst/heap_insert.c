/* heap_insert: items go into a binary heap, one after the other, the smallest
 * on top.
 *
 * Worst case, proved: a falling list, where each item rises to the top.
 * O(n log n). */
#include "subject.h"

static void insert(int *heap, int used, int item)
{
	int i = used;
	while (i > 0) {
		int parent = (i - 1) / 2;
		if (heap[parent] <= item) break;
		heap[i] = heap[parent];
		i = parent;
	}
	heap[i] = item;
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	int *heap = malloc((size_t)count * sizeof *heap + 1);
	for (int i = 0; i < count; i++) insert(heap, i, list[i]);
#ifdef VERIFY
	for (int i = 1; i < count; i++) CHECK(heap[(i - 1) / 2] <= heap[i]);
#endif
	return 0;
}
