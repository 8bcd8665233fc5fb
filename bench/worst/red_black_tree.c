/* red_black_tree: keys go into a red-black tree; a key that is there already is
 * not inserted again.
 *
 * Worst case: a rising list with its keys swapped in pairs, so that every other
 * key is inserted between the two before it and needs two rotations; the best
 * known, not proved. O(n log n). */
#include "subject.h"

struct node {
	int key;
	int is_red;
	struct node *parent;
	struct node *child[2];
};

static struct node *root;

/* Makes the child on the other side the parent of node, which goes down on the
 * given side. */
static void rotate(struct node *node, int side)
{
	struct node *up = node->child[!side];
	node->child[!side] = up->child[side];
	if (up->child[side]) up->child[side]->parent = node;
	up->parent = node->parent;
	if (!node->parent)
		root = up;
	else
		node->parent->child[node == node->parent->child[1]] = up;
	up->child[side] = node;
	node->parent = up;
}

static void repair(struct node *node)
{
	while (node->parent && node->parent->is_red) {
		struct node *parent = node->parent, *grand = parent->parent;
		int side = parent == grand->child[1];
		struct node *uncle = grand->child[!side];
		if (uncle && uncle->is_red) {
			parent->is_red = uncle->is_red = 0;
			grand->is_red = 1;
			node = grand;
			continue;
		}
		if (node == parent->child[!side]) {
			rotate(parent, side);
			struct node *swapped = node;
			node = parent;
			parent = swapped;
		}
		parent->is_red = 0;
		grand->is_red = 1;
		rotate(grand, !side);
	}
	root->is_red = 0;
}

static void insert(int key)
{
	struct node *parent = 0, *node = root;
	int side = 0;
	while (node) {
		if (key == node->key) return;
		parent = node;
		if (key < node->key)
			side = 0;
		else
			side = 1;
		node = node->child[side];
	}
	struct node *fresh = calloc(1, sizeof *fresh);
	fresh->key = key;
	fresh->is_red = 1;
	fresh->parent = parent;
	if (parent)
		parent->child[side] = fresh;
	else
		root = fresh;
	repair(fresh);
}

#ifdef VERIFY
/* The number of black nodes on every way down. */
static int black_height(const struct node *node, long low, long high)
{
	if (!node) return 1;
	CHECK(low < node->key && node->key < high);
	CHECK(!node->is_red || (node->parent && !node->parent->is_red));
	int left = black_height(node->child[0], low, node->key);
	CHECK(left == black_height(node->child[1], node->key, high));
	return left + !node->is_red;
}
#endif

int main(void)
{
	int count = SIZE;
	int *list = INPUT(int, count, "list");
	for (int i = 0; i < count; i++) insert(list[i]);
#ifdef VERIFY
	black_height(root, -3000000000, 3000000000);
#endif
	return 0;
}
