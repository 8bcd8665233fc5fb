/* libc_fnmatch: fnmatch of the C library that programs are searched with (musl):
 * does a text match the pattern *a*bc*d? The text is the input.
 *
 * Worst case: every star makes the library look for what follows it from the
 * place on where the one before was found; the hand-made input is a's up to the
 * end, not proved to be the worst. */
#include "subject.h"

#include <fnmatch.h>

int main(void)
{
	int count = SIZE;
	char *text = INPUT(char, count + 1, "text");
	forkwise_assume(text[count] == 0);
	int found = fnmatch("*a*bc*d", text, 0);
#ifdef VERIFY
	/* The same by the first occurrences of a and bc; the text ends with d. */
	int length = 0, i = 0, matches = 0;
	while (text[length]) length++;
	while (i < length && text[i] != 'a') i++;
	for (i++; i + 2 < length; i++)
		if (text[i] == 'b' && text[i + 1] == 'c') matches |= text[length - 1] == 'd';
	CHECK((found == 0) == matches);
#endif
	(void)found;
	return 0;
}
