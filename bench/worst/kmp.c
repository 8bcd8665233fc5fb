/* kmp: the first occurrence of a pattern of three items in a text, after Knuth,
 * Morris and Pratt. Pattern and text are inputs.
 *
 * Worst case: the pattern aab in a text of a's, where every item is compared
 * twice, with another item at the end. All paths of texts of up to six items
 * agree; beyond that it is the best known, not proved. O(n). */
#include "subject.h"

#define PATTERN 3

/* How much of the pattern is still matched after a mismatch behind item i. */
static void failures(const int *pattern, int *table)
{
	int matched = 0;
	table[0] = 0;
	for (int i = 1; i < PATTERN; i++) {
		while (matched > 0 && pattern[i] != pattern[matched]) matched = table[matched - 1];
		if (pattern[i] == pattern[matched]) matched++;
		table[i] = matched;
	}
}

static int kmp(const int *pattern, const int *text, int count)
{
	int table[PATTERN];
	failures(pattern, table);
	int matched = 0;
	for (int i = 0; i < count; i++) {
		while (matched > 0 && text[i] != pattern[matched]) matched = table[matched - 1];
		if (text[i] == pattern[matched]) matched++;
		if (matched == PATTERN) return i - PATTERN + 1;
	}
	return -1;
}

int main(void)
{
	int count = SIZE;
	int *pattern = INPUT(int, PATTERN, "pattern");
	int *text = INPUT(int, count, "text");
	int found = kmp(pattern, text, count);
#ifdef VERIFY
	int expected = -1;
	for (int i = count - PATTERN; i >= 0; i--)
		if (text[i] == pattern[0] && text[i + 1] == pattern[1] && text[i + 2] == pattern[2])
			expected = i;
	CHECK(found == expected);
#endif
	(void)found;
	return 0;
}
