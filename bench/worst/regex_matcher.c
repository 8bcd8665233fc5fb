/* regex_matcher: a backtracking matcher for letters and stars, greedy, on a text
 * of bytes; the pattern is fixed, x*x*x*y from the beginning of the text.
 *
 * Worst case, proved: a text of x's, which the three stars share in all possible
 * ways before the matcher gives up. O(n^3). */
#include "subject.h"

static const char pattern[] = "x*x*x*y";

/* Whether the pattern matches a beginning of the text. */
static int match(const char *rest, const char *text, int count)
{
	if (rest[0] == 0) return 1;
	if (rest[1] == '*') {
		int most = 0;
		while (most < count && text[most] == rest[0]) most++;
		for (int n = most; n >= 0; n--)
			if (match(rest + 2, text + n, count - n)) return 1;
		return 0;
	}
	if (count > 0 && text[0] == rest[0]) return match(rest + 1, text + 1, count - 1);
	return 0;
}

int main(void)
{
	int count = SIZE;
	char *text = INPUT(char, count, "text");
	int answer = match(pattern, text, count);
#ifdef VERIFY
	int n = 0;
	while (n < count && text[n] == 'x') n++;
	CHECK(answer == (n < count && text[n] == 'y'));
#endif
	(void)answer;
	return 0;
}
