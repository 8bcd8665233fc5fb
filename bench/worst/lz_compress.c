/* lz_compress: replaces what occurred before by distance and length, greedily:
 * the longest of all earlier occurrences, from 4 up to 18 bytes.
 *
 * Worst case: many occurrences that are just too short to be used; the hand-made
 * input comes from a local search and is the best known, not proved. O(n^2). */
#include "subject.h"

#define SHORTEST 4
#define LONGEST 18

typedef unsigned char Byte;

/* The compressed size. A byte is 0 and itself; an occurrence is its length and
 * its distance in two bytes. */
static int compress(const Byte *input, int count, Byte *output)
{
	int used = 0, i = 0;
	while (i < count) {
		int length = 0, place = 0;
		for (int start = 0; start < i; start++) {
			int same = 0;
			while (same < LONGEST && i + same < count && input[start + same] == input[i + same])
				same++;
			if (same > length) {
				length = same;
				place = start;
			}
		}
		if (length >= SHORTEST) {
			output[used++] = (Byte)length;
			output[used++] = (Byte)(i - place);
			output[used++] = (Byte)((i - place) >> 8);
			i += length;
		} else {
			output[used++] = 0;
			output[used++] = input[i++];
		}
	}
	return used;
}

int main(void)
{
	int count = SIZE;
	Byte *input = INPUT(Byte, count, "input");
	Byte *output = malloc((size_t)count * 2 + 1);
	int used = compress(input, count, output);
#ifdef VERIFY
	Byte *again = malloc((size_t)count + 1);
	int made = 0;
	for (int i = 0; i < used;) {
		int length = output[i++];
		if (length == 0) {
			again[made++] = output[i++];
			continue;
		}
		int distance = output[i] | output[i + 1] << 8;
		i += 2;
		while (length-- > 0) {
			again[made] = again[made - distance];
			made++;
		}
	}
	CHECK(made == count);
	for (int i = 0; i < count; i++) CHECK(again[i] == input[i]);
#endif
	(void)used;
	return 0;
}
