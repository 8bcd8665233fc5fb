/* memory_fill: copies a list that fits into a buffer of 16 cells, otherwise as
 * many of its values other than zero as fit; goes on when the buffer is full.
 *
 * Worst case, proved: no zeros. A list of up to 16 items has one path only, so
 * that nothing can be learned from those. O(n). */
#include "subject.h"

#define CELLS 16

static int memory[CELLS];

static void memory_fill(const int *list, int count)
{
	int unused = CELLS;
	if (count <= unused) {
		for (int i = 0; i < count; i++) memory[i] = list[i];
		return;
	}
	for (int i = 0; i < count; i++) {
		if (list[i] != 0) {
			unused--;
			if (unused >= 0) memory[unused] = list[i];
		}
	}
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	memory_fill(list, count);
#ifdef VERIFY
	int cell = CELLS;
	for (int i = 0; i < count; i++) {
		if (count <= CELLS)
			CHECK(memory[i] == list[i]);
		else if (list[i] != 0 && --cell >= 0)
			CHECK(memory[cell] == list[i]);
	}
#endif
	return 0;
}
