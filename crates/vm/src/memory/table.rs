//! A persistent vector of object entries: cloning is one reference count, changing an entry copies only the path to
//! it. This is what makes a fork cost what changes afterwards and not what the state holds.

use super::object::Object;
use crate::gc::Visited;
use forkwise_expr::Expr;
use std::rc::Rc;

const LEAF_BITS: u32 = 4;
const FAN_BITS: u32 = 5;

/// The object at an index, if any, and the generation of the index.
#[derive(Clone, Default, Debug)]
pub struct Entry {
    /// The live object.
    pub object: Option<Rc<Object>>,
    /// Generation of the current (or, when free, the next) object here.
    pub generation: u32,
    /// When free: the next free index, or 0.
    pub next_free: u32,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf([Entry; 1 << LEAF_BITS]),
    Inner([Option<Rc<Node>>; 1 << FAN_BITS]),
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Table {
    root: Rc<Node>,
    /// Bits of the index below the root's own digit.
    shift: u32,
}

impl Default for Table {
    fn default() -> Table {
        Table { root: Rc::new(Node::Leaf(Default::default())), shift: 0 }
    }
}

impl Table {
    /// The entry at `index`, if that part of the table exists.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<&Entry> {
        let mut node = &*self.root;
        let mut shift = self.shift;
        if (index as u64) >> (if shift == 0 { LEAF_BITS } else { shift + FAN_BITS }) != 0 {
            return None;
        }
        loop {
            match node {
                Node::Leaf(entries) => return Some(&entries[(index & ((1 << LEAF_BITS) - 1)) as usize]),
                Node::Inner(children) => {
                    node = children[(index >> shift & ((1 << FAN_BITS) - 1)) as usize].as_deref()?;
                    shift = shift.saturating_sub(FAN_BITS);
                }
            }
        }
    }

    /// The entry at `index` for changing; the table grows to hold it.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut Entry {
        while (index as u64) >> (if self.shift == 0 { LEAF_BITS } else { self.shift + FAN_BITS }) != 0 {
            let old = std::mem::replace(&mut self.root, Rc::new(Node::Inner(Default::default())));
            self.shift = if self.shift == 0 { LEAF_BITS } else { self.shift + FAN_BITS };
            if let Node::Inner(children) = Rc::make_mut(&mut self.root) {
                children[0] = Some(old);
            }
        }
        let mut shift = self.shift;
        let mut node = Rc::make_mut(&mut self.root);
        loop {
            match node {
                Node::Leaf(entries) => return &mut entries[(index & ((1 << LEAF_BITS) - 1)) as usize],
                Node::Inner(children) => {
                    let leaf_below = shift == LEAF_BITS;
                    let child = children[(index >> shift & ((1 << FAN_BITS) - 1)) as usize]
                        .get_or_insert_with(|| {
                            Rc::new(if leaf_below {
                                Node::Leaf(Default::default())
                            } else {
                                Node::Inner(Default::default())
                            })
                        });
                    node = Rc::make_mut(child);
                    shift = shift.saturating_sub(FAN_BITS);
                }
            }
        }
    }

    /// Every expression in the objects, nodes seen before left out.
    pub fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        let mut stack: Vec<&Rc<Node>> = vec![&self.root];
        while let Some(node) = stack.pop() {
            if !visited.first(&**node) {
                continue;
            }
            match &**node {
                Node::Leaf(entries) => {
                    for o in entries.iter().filter_map(|e| e.object.as_ref()) {
                        if visited.first(&**o) {
                            out.extend(o.exprs());
                        }
                    }
                }
                Node::Inner(children) => stack.extend(children.iter().flatten()),
            }
        }
    }

    /// All entries that hold an object, with their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let mut stack: Vec<(&Node, u32, u32)> = vec![(&self.root, 0, self.shift)];
        let mut out = Vec::new();
        while let Some((node, base, shift)) = stack.pop() {
            match node {
                Node::Leaf(entries) => {
                    for (i, e) in entries.iter().enumerate() {
                        if e.object.is_some() {
                            out.push((base + i as u32, e));
                        }
                    }
                }
                Node::Inner(children) => {
                    for (i, c) in children.iter().enumerate().rev() {
                        if let Some(c) = c {
                            stack.push((c, base | (i as u32) << shift, shift.saturating_sub(FAN_BITS)));
                        }
                    }
                }
            }
        }
        out.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_and_finds() {
        let mut t = Table::default();
        for i in [0u32, 1, 15, 16, 17, 511, 512, 513, 16383, 16384, 500_000, (1 << 24) - 1] {
            t.get_mut(i).generation = i + 1;
        }
        for i in [0u32, 1, 15, 16, 17, 511, 512, 513, 16383, 16384, 500_000, (1 << 24) - 1] {
            assert_eq!(t.get(i).unwrap().generation, i + 1, "{i}");
        }
        assert!(t.get(1 << 23).is_none_or(|e| e.generation == 0));
        assert!(t.get(18).is_some_and(|e| e.generation == 0));
    }

    #[test]
    fn clones_do_not_see_later_changes() {
        let mut a = Table::default();
        a.get_mut(700).generation = 1;
        let mut b = a.clone();
        b.get_mut(700).generation = 2;
        b.get_mut(3).generation = 9;
        assert_eq!(a.get(700).unwrap().generation, 1);
        assert_eq!(a.get(3).unwrap().generation, 0);
        assert_eq!(b.get(700).unwrap().generation, 2);
    }
}
