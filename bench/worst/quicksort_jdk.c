/* quicksort_jdk: the sort of Java 1.5 for arrays of int, after Bentley and
 * McIlroy: insertion sort below 7 items, the middle item as pivot for 7, the
 * median of three up to 40, the median of three such medians above; items equal
 * to the pivot are gathered at both ends and then moved between the parts.
 *
 * Worst case: the hand-made input is the best known, not proved. O(n^2). */
#include "subject.h"

static void swap(int *x, int a, int b)
{
	int t = x[a];
	x[a] = x[b];
	x[b] = t;
}

static void swap_ranges(int *x, int a, int b, int count)
{
	for (int i = 0; i < count; i++) swap(x, a + i, b + i);
}

/* The index of the median of three. */
static int median(const int *x, int a, int b, int c)
{
	if (x[a] < x[b]) {
		if (x[b] < x[c]) return b;
		if (x[a] < x[c]) return c;
		return a;
	}
	if (x[b] > x[c]) return b;
	if (x[a] > x[c]) return c;
	return a;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static void sort(int *x, int from, int count)
{
	if (count < 7) {
		for (int i = from; i < from + count; i++)
			for (int j = i; j > from && x[j - 1] > x[j]; j--) swap(x, j, j - 1);
		return;
	}

	int middle = from + count / 2;
	if (count > 7) {
		int first = from, last = from + count - 1;
		if (count > 40) {
			int step = count / 8;
			first = median(x, first, first + step, first + 2 * step);
			middle = median(x, middle - step, middle, middle + step);
			last = median(x, last - 2 * step, last - step, last);
		}
		middle = median(x, first, middle, last);
	}
	int pivot = x[middle];

	/* Equal, smaller, unknown, larger, equal: the borders are a, b, c, d. */
	int a = from, b = from, c = from + count - 1, d = c;
	for (;;) {
		while (b <= c && x[b] <= pivot) {
			if (x[b] == pivot) swap(x, a++, b);
			b++;
		}
		while (c >= b && x[c] >= pivot) {
			if (x[c] == pivot) swap(x, c, d--);
			c--;
		}
		if (b > c) break;
		swap(x, b++, c--);
	}

	int end = from + count;
	int s = least(a - from, b - a);
	swap_ranges(x, from, b - s, s);
	s = least(d - c, end - d - 1);
	swap_ranges(x, b, end - s, s);

	if ((s = b - a) > 1) sort(x, from, s);
	if ((s = d - c) > 1) sort(x, end - s, s);
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	sort(list, 0, count);
#ifdef VERIFY
	for (int i = 1; i < count; i++) CHECK(list[i - 1] <= list[i]);
#endif
	return 0;
}
