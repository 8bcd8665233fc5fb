//! The execution tree: an inner node is a fork, a leaf is a live state. Subtrees without live states are cut off at
//! once, and a fork with one side left is replaced by that side, so n states need 2n − 1 nodes of twelve bytes.
//!
//! It holds no states; [`crate::Forest`] does, and keeps the two in step.

use crate::forest::Slot;
use crate::random::Random;

/// Number of a node; reused after it is freed.
pub(crate) type Node = u32;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Data {
    parent: Node,
    /// Left child, or `NONE` in a leaf.
    left: Node,
    /// Right child, or the slot of a leaf's state.
    right: u32,
}

/// See the module text.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Data>,
    free: Vec<Node>,
    root: Node,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: Vec::new(), free: Vec::new(), root: NONE }
    }
}

impl Tree {
    fn alloc(&mut self, data: Data) -> Node {
        match self.free.pop() {
            Some(n) => {
                self.nodes[n as usize] = data;
                n
            }
            None => {
                self.nodes.push(data);
                (self.nodes.len() - 1) as Node
            }
        }
    }

    /// Puts `by` where `old` hangs.
    fn replace(&mut self, old: Node, by: Node) {
        let parent = self.nodes[old as usize].parent;
        self.nodes[by as usize].parent = parent;
        match parent {
            NONE => self.root = by,
            p => {
                let p = &mut self.nodes[p as usize];
                if p.left == old {
                    p.left = by;
                } else {
                    p.right = by;
                }
            }
        }
    }

    /// A leaf that is not the child of a fork: the first state, or another root beside the existing tree.
    pub fn plant(&mut self, slot: Slot) -> Node {
        let leaf = self.alloc(Data { parent: NONE, left: NONE, right: slot });
        match self.root {
            NONE => self.root = leaf,
            old => self.root = self.join(old, leaf, NONE),
        }
        leaf
    }

    fn join(&mut self, left: Node, right: Node, parent: Node) -> Node {
        let fork = self.alloc(Data { parent, left, right });
        self.nodes[left as usize].parent = fork;
        self.nodes[right as usize].parent = fork;
        fork
    }

    /// The state of `leaf` forked: its leaf becomes a fork over itself and the sibling. Returns the sibling's leaf.
    pub fn split(&mut self, leaf: Node, sibling: Slot) -> Node {
        let other = self.alloc(Data { parent: NONE, left: NONE, right: sibling });
        let fork = self.alloc(Data { parent: NONE, left: leaf, right: other });
        self.replace(leaf, fork);
        self.nodes[leaf as usize].parent = fork;
        self.nodes[other as usize].parent = fork;
        other
    }

    /// The state of `leaf` is gone.
    pub fn remove(&mut self, leaf: Node) {
        match self.nodes[leaf as usize].parent {
            NONE => self.root = NONE,
            fork => {
                let d = self.nodes[fork as usize];
                let sibling = if d.left == leaf { d.right } else { d.left };
                self.replace(fork, sibling);
                self.free.push(fork);
            }
        }
        self.free.push(leaf);
    }

    /// A random walk from the root: both sides of a fork are equally likely. `None` when there is no state.
    pub fn random_leaf(&self, random: &mut Random) -> Option<Slot> {
        let mut at = self.root;
        let (mut bits, mut left) = (0u64, 0u32);
        if at == NONE {
            return None;
        }
        loop {
            let d = self.nodes[at as usize];
            if d.left == NONE {
                return Some(d.right);
            }
            if left == 0 {
                (bits, left) = (random.next_u64(), 64);
            }
            at = if bits & 1 == 0 { d.left } else { d.right };
            bits >>= 1;
            left -= 1;
        }
    }

    /// Nodes in use.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shallow_leaves_are_more_likely() {
        let mut tree = Tree::default();
        let a = tree.plant(0);
        tree.split(a, 1);
        tree.split(a, 2);
        // 1 is at depth one; 0 and 2 are at depth two.
        let mut random = Random::new(1);
        let mut seen = [0u32; 3];
        for _ in 0..4000 {
            seen[tree.random_leaf(&mut random).unwrap() as usize] += 1;
        }
        assert!((1800..2200).contains(&seen[1]), "{seen:?}");
        assert!((850..1150).contains(&seen[0]), "{seen:?}");
    }

    #[test]
    fn dead_subtrees_are_freed_and_forks_with_one_side_vanish() {
        let mut tree = Tree::default();
        let a = tree.plant(0);
        let b = tree.split(a, 1);
        let c = tree.split(b, 2);
        assert_eq!(tree.len(), 5);
        tree.remove(b);
        assert_eq!(tree.len(), 3);
        tree.remove(a);
        assert_eq!(tree.len(), 1);
        assert_eq!(tree.random_leaf(&mut Random::new(0)), Some(2));
        tree.remove(c);
        assert_eq!(tree.len(), 0);
        assert_eq!(tree.random_leaf(&mut Random::new(0)), None);
        tree.plant(9);
        assert_eq!(tree.nodes.len(), 5, "freed nodes are used again");
    }
}
