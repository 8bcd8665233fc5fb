/* merge_sort: halves are sorted and merged into a second array.
 *
 * Worst case, proved: each merge compares until one item is left, which it does
 * if the two largest items are in different halves. O(n log n). */
#include "subject.h"

static void merge(int *list, int *spare, int low, int middle, int high)
{
	int i = low, j = middle, k = low;
	while (i < middle && j < high) {
		if (list[i] <= list[j])
			spare[k++] = list[i++];
		else
			spare[k++] = list[j++];
	}
	while (i < middle) spare[k++] = list[i++];
	while (j < high) spare[k++] = list[j++];
	for (k = low; k < high; k++) list[k] = spare[k];
}

static void merge_sort(int *list, int *spare, int low, int high)
{
	if (high - low < 2) return;
	int middle = low + (high - low) / 2;
	merge_sort(list, spare, low, middle);
	merge_sort(list, spare, middle, high);
	merge(list, spare, low, middle, high);
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	int *spare = malloc((size_t)count * sizeof *spare + 1);
	merge_sort(list, spare, 0, count);
#ifdef VERIFY
	for (int i = 1; i < count; i++) CHECK(list[i - 1] <= list[i]);
#endif
	return 0;
}
