/* insertion_sort: each item moves down to its place.
 *
 * Worst case, proved: a falling list, where each item moves to the front.
 * O(n^2). */
#include "subject.h"

static void insertion_sort(int *list, int count)
{
	for (int i = 1; i < count; i++) {
		int item = list[i], j = i;
		while (j > 0 && list[j - 1] > item) {
			list[j] = list[j - 1];
			j--;
		}
		list[j] = item;
	}
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	insertion_sort(list, count);
#ifdef VERIFY
	for (int i = 1; i < count; i++) CHECK(list[i - 1] <= list[i]);
#endif
	return 0;
}
