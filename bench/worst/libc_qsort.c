/* libc_qsort: qsort of the C library that programs are searched with (musl), a
 * smoothsort, on a list of int.
 *
 * Worst case: a list that is nearly sorted costs least and a falling one much,
 * but not most; the hand-made input is the falling list, not proved to be the
 * worst. O(n log n). */
#include "subject.h"

static int compare(const void *one, const void *two)
{
	int a = *(const int *)one, b = *(const int *)two;
	if (a < b) return -1;
	return a > b;
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	qsort(list, (size_t)count, sizeof *list, compare);
#ifdef VERIFY
	for (int i = 1; i < count; i++) CHECK(list[i - 1] <= list[i]);
#endif
	return 0;
}
