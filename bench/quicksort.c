/* Concrete speed: quicksort of an array, so loads, stores, compares and calls.
 * Reads no input, prints a checksum, and aborts if it is wrong: an engine that
 * computes something else is reported, not measured. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT
#define COUNT 200000
#define REPEATS 24
#define EXPECTED 0xc6a5ea3157ea4deau
#endif

static uint32_t values[COUNT];

static void fill(uint32_t seed)
{
	for (int i = 0; i < COUNT; i++) {
		seed = seed * 1664525u + 1013904223u;
		values[i] = seed >> 4;
	}
}

static void sort(int low, int high)
{
	while (low < high) {
		uint32_t pivot = values[low + (high - low) / 2];
		int i = low, j = high;
		while (i <= j) {
			while (values[i] < pivot) i++;
			while (values[j] > pivot) j--;
			if (i <= j) {
				uint32_t swapped = values[i];
				values[i++] = values[j];
				values[j--] = swapped;
			}
		}
		/* The smaller part by recursion, so that the stack stays shallow. */
		if (j - low < high - i) {
			sort(low, j);
			low = i;
		} else {
			sort(i, high);
			high = j;
		}
	}
}

int main(void)
{
	uint64_t sum = 0;
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {
		fill(repeat + 1);
		sort(0, COUNT - 1);
		for (int i = 0; i < COUNT; i++) {
			if (i > 0 && values[i - 1] > values[i]) abort();
			sum = sum * 31 + values[i];
		}
	}
	printf("quicksort %016llx\n", (unsigned long long)sum);
	if (sum != EXPECTED) abort();
	return 0;
}
