/* binary_search_tree: keys go into a tree that nothing balances; a key that is
 * there already is not inserted again.
 *
 * Worst case, proved: a rising list, where the tree becomes a list. Going right
 * takes no fewer steps than going left. O(n^2). */
#include "subject.h"

struct node {
	int key;
	struct node *left, *right;
};

static struct node *root;

static void insert(int key)
{
	struct node **link = &root;
	while (*link) {
		struct node *node = *link;
		if (key == node->key) return;
		if (key < node->key)
			link = &node->left;
		else
			link = &node->right;
	}
	struct node *fresh = calloc(1, sizeof *fresh);
	fresh->key = key;
	*link = fresh;
}

#ifdef VERIFY
/* The number of nodes, all of which are between low and high. */
static int count_nodes(const struct node *node, long low, long high)
{
	if (!node) return 0;
	CHECK(low < node->key && node->key < high);
	return 1 + count_nodes(node->left, low, node->key) + count_nodes(node->right, node->key, high);
}
#endif

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	for (int i = 0; i < count; i++) insert(list[i]);
#ifdef VERIFY
	int distinct = 0;
	for (int i = 0; i < count; i++) {
		int is_new = 1;
		for (int j = 0; j < i; j++) is_new &= list[j] != list[i];
		distinct += is_new;
	}
	CHECK(count_nodes(root, -3000000000, 3000000000) == distinct);
#endif
	return 0;
}
