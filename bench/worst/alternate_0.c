/* alternate_0: an expensive task for every zero at an even index and every
 * other value at an odd one.
 *
 * Worst case, proved: zeros and other values take turns, so that the task runs
 * for each item. O(n). */
#include "subject.h"

static int tasks;

static __attribute__((noinline)) void expensive_task(void)
{
	tasks++;
}

static void alternate_0(const int *list, int count)
{
	for (int i = 0; i < count; i++) {
		int check;
		if (list[i] == 0)
			check = 1 - i % 2;
		else
			check = i % 2;
		if (check != 0) expensive_task();
	}
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	alternate_0(list, count);
#ifdef VERIFY
	int expected = 0;
	for (int i = 0; i < count; i++) expected += (list[i] == 0) == (i % 2 == 0);
	CHECK(tasks == expected);
#endif
	return 0;
}
