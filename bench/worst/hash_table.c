/* hash_table: keys go into a table of 64 chains; a key that is there already is
 * not inserted again. The hash multiplies and takes the highest bits.
 *
 * Worst case, proved: different keys of one chain, which is walked to its end
 * for each. O(n^2). */
#include "subject.h"

#define CHAINS 64

struct entry {
	int key;
	struct entry *next;
};

static struct entry *chains[CHAINS];

static unsigned hash(int key)
{
	return (unsigned)key * 2654435769u >> 26;
}

static void insert(int key)
{
	struct entry **link = &chains[hash(key)];
	while (*link) {
		if ((*link)->key == key) return;
		link = &(*link)->next;
	}
	struct entry *fresh = calloc(1, sizeof *fresh);
	fresh->key = key;
	*link = fresh;
}

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	for (int i = 0; i < count; i++) insert(list[i]);
#ifdef VERIFY
	int distinct = 0, entries = 0;
	for (int i = 0; i < count; i++) {
		int is_new = 1;
		for (int j = 0; j < i; j++) is_new &= list[j] != list[i];
		distinct += is_new;
	}
	for (int c = 0; c < CHAINS; c++)
		for (struct entry *entry = chains[c]; entry; entry = entry->next) entries++;
	CHECK(entries == distinct);
#endif
	return 0;
}
