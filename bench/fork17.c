/* Forking: independent two-way branches on symbolic bytes, 2^BRANCHES paths, all
 * alive at once under breadth-first search. Nothing but one word per path
 * changes between forks, so memory per fork is the cost of a state itself. For
 * -O0: an optimiser would turn the branches into additions. */
#include <forkwise.h>

#ifndef BRANCHES
#define BRANCHES 17
#endif

int main(void)
{
	unsigned char input[BRANCHES];
	unsigned taken = 0;
	forkwise_symbolic(input, sizeof input, "input");
	for (int i = 0; i < BRANCHES; i++)
		if (input[i] > 'a') taken++;
	return taken > BRANCHES;
}
