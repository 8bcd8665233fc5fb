// Insertion into a left-leaning red-black tree keeps its invariants for every order of four keys.
// expect: exit-codes 0
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  struct node *left, *right;
  int key, red;
};

static int is_red(struct node *n) { return n && n->red; }

static struct node *rotate_left(struct node *n) {
  struct node *r = n->right;
  n->right = r->left;
  r->left = n;
  r->red = n->red;
  n->red = 1;
  return r;
}

static struct node *rotate_right(struct node *n) {
  struct node *l = n->left;
  n->left = l->right;
  l->right = n;
  l->red = n->red;
  n->red = 1;
  return l;
}

static struct node *insert(struct node *n, int key) {
  if (!n) {
    n = calloc(1, sizeof *n);
    if (!n)
      exit(9);
    n->key = key;
    n->red = 1;
    return n;
  }
  if (key < n->key)
    n->left = insert(n->left, key);
  else if (key > n->key)
    n->right = insert(n->right, key);
  if (is_red(n->right) && !is_red(n->left))
    n = rotate_left(n);
  if (is_red(n->left) && is_red(n->left->left))
    n = rotate_right(n);
  if (is_red(n->left) && is_red(n->right)) {
    n->red = 1;
    n->left->red = n->right->red = 0;
  }
  return n;
}

static int black_height(struct node *n) {
  if (!n)
    return 1;
  assert(!(n->red && (is_red(n->left) || is_red(n->right))));
  if (n->left)
    assert(n->left->key < n->key);
  if (n->right)
    assert(n->right->key > n->key);
  int left = black_height(n->left);
  assert(left == black_height(n->right));
  return left + !n->red;
}

int main(void) {
  int keys[4];
  klee_make_symbolic(keys, sizeof keys, "keys");
  struct node *root = 0;
  for (int i = 0; i < 4; i++) {
    root = insert(root, keys[i]);
    root->red = 0;
  }
  black_height(root);
  return 0;
}
