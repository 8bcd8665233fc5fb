/* is_palindrome: whether a list reads the same from both ends; looks at every
 * item, though half would do.
 *
 * Worst case, proved: a palindrome. O(n). */
#include "subject.h"

static int is_palindrome(const int *list, int count)
{
	for (int i = 0; i < count; i++)
		if (list[i] != list[count - 1 - i]) return 0;
	return 1;
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	int answer = is_palindrome(list, count);
#ifdef VERIFY
	int expected = 1;
	for (int i = 0; i < count / 2; i++) expected &= list[i] == list[count - 1 - i];
	CHECK(answer == expected);
#endif
	/* Either answer is a good end: only crashes are failures of a path. */
	(void)answer;
	return 0;
}
