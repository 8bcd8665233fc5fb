//! A path condition as a persistent set: cloning copies three words, adding allocates a few hundred bytes.
//!
//! Constraints are kept in groups that share no symbol, found through two small tries (symbol → group's name,
//! name → group). The set must never look inside an expression beyond its support and its top-level conjunction.
//! `chain` reads the groups of a query through [`ConstraintSet::slice`].

use crate::domains::ByteSet;
use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, Kind, Op, SymbolId};
use std::cell::RefCell;
use std::rc::Rc;

/// A path condition: a conjunction of width-1 expressions, kept in groups that share no symbol. Cloning is cheap
/// (shared, copy-on-write); adding costs what it touches.
#[derive(Clone, Default)]
pub struct ConstraintSet {
    /// A group's name is its least symbol. Symbols that name their own group have no entry here, so that one-byte
    /// groups cost nothing.
    names: Trie<SymbolId>,
    groups: Trie<Rc<Group>>,
    /// All constraints, newest first.
    order: Option<Rc<Link>>,
    /// Which constraints there are, once there are [`MANY`]: fewer are looked through one by one.
    present: Option<Trie<()>>,
    contradiction: bool,
}

/// See [`ConstraintSet::present`].
const MANY: usize = 64;

struct Group {
    symbols: Rc<[SymbolId]>,
    constraints: Rc<Bag>,
    /// Of a group of one symbol: the values that satisfy a bag, which is the group's or one that it grew from.
    allowed: RefCell<Option<(Rc<Bag>, ByteSet)>>,
}

struct Link {
    constraint: Expr,
    position: u32,
    previous: Option<Rc<Link>>,
}

/// The constraints of a group: an optional one and up to two smaller bags, so that adding and uniting are O(1).
struct Bag {
    constraint: Option<Expr>,
    first: Option<Rc<Bag>>,
    second: Option<Rc<Bag>>,
}

/// The part of a path condition that a query can see.
#[derive(Default, Debug, Clone)]
pub(crate) struct Slice {
    /// Sorted by handle.
    pub constraints: Vec<Expr>,
    /// Sorted; those of the query and of the groups it touches.
    pub symbols: Vec<SymbolId>,
}

impl ConstraintSet {
    /// Conjoins `c` (split at top-level conjunctions; constants true are dropped).
    pub fn add(&mut self, ex: &mut Exprs, c: Expr) {
        let mut todo = vec![c];
        while let Some(c) = todo.pop() {
            if ex.is_true(c) {
                continue;
            }
            match ex.kind(c) {
                Kind::Bin(Op::And, a, b) => todo.extend([b, a]),
                Kind::Un(Op::Not, inner) => match ex.kind(inner) {
                    Kind::Bin(Op::Or, a, b) => {
                        let (a, b) = (ex.not(a), ex.not(b));
                        todo.extend([b, a]);
                    }
                    _ => self.add_one(ex, c),
                },
                _ => self.add_one(ex, c),
            }
        }
    }

    fn add_one(&mut self, ex: &mut Exprs, c: Expr) {
        debug_assert_eq!(ex.width(c), 1);
        let support = ex.support(c);
        if support.is_empty() {
            // A ground expression the rewriter left alone (or the constant false).
            let empty = Assignment { id: 0, bytes: &[] };
            if Evaluator::default().eval_u64(ex, c, empty) == 0 {
                self.contradiction = true;
                self.push_order(c);
            }
            return;
        }
        let touched = self.touched(&support);
        if self.has(&touched, c) {
            return;
        }
        self.push_order(c);
        self.join(&support, &touched, c);
    }

    fn push_order(&mut self, constraint: Expr) {
        let position = self.len() as u32;
        self.order = Some(Rc::new(Link { constraint, position, previous: self.order.take() }));
        match &mut self.present {
            Some(present) => present.set(constraint.index() as u32, ()),
            None if position as usize + 1 >= MANY => {
                let mut present = Trie::default();
                self.newest_first().for_each(|c| present.set(c.index() as u32, ()));
                self.present = Some(present);
            }
            None => {}
        }
    }

    /// The groups that hold any of these symbols, each once, in the order of their names.
    fn touched(&self, support: &[SymbolId]) -> Vec<Rc<Group>> {
        let mut names: Vec<SymbolId> = support.iter().map(|&s| self.name(s)).collect();
        names.sort_unstable();
        names.dedup();
        names.iter().filter_map(|n| self.groups.get(n.0).cloned()).collect()
    }

    fn name(&self, s: SymbolId) -> SymbolId {
        self.names.get(s.0).copied().unwrap_or(s)
    }

    /// Unites the touched groups with `support` into one that also holds `c`.
    fn join(&mut self, support: &Rc<[SymbolId]>, touched: &[Rc<Group>], c: Expr) {
        let symbols = match touched {
            [] => Rc::clone(support),
            [one] if contains_all(&one.symbols, support) => Rc::clone(&one.symbols),
            _ => {
                let mut all: Vec<SymbolId> = support.to_vec();
                touched.iter().for_each(|g| all.extend_from_slice(&g.symbols));
                all.sort_unstable();
                all.dedup();
                all.into()
            }
        };
        let mut bags = touched.iter().map(|g| Rc::clone(&g.constraints));
        let (first, second) = (bags.next(), bags.next());
        let mut bag = Rc::new(Bag { constraint: Some(c), first, second });
        for more in bags {
            bag = Rc::new(Bag { constraint: None, first: Some(bag), second: Some(more) });
        }
        let name = symbols[0];
        for g in touched {
            let old = g.symbols[0];
            if old != name {
                self.groups.remove(old.0);
                g.symbols.iter().for_each(|s| self.names.set(s.0, name));
            }
        }
        for s in support.iter().filter(|&&s| s != name) {
            if self.names.get(s.0) != Some(&name) {
                self.names.set(s.0, name);
            }
        }
        let allowed = match touched {
            [one] if symbols.len() == 1 => one.allowed.clone(),
            _ => RefCell::default(),
        };
        self.groups.set(name.0, Rc::new(Group { symbols, constraints: bag, allowed }));
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.order.as_ref().map_or(0, |l| l.position as usize + 1)
    }

    /// Is it the empty conjunction?
    pub fn is_empty(&self) -> bool {
        self.order.is_none()
    }

    /// Was a constraint added that no assignment satisfies by itself?
    pub fn is_contradictory(&self) -> bool {
        self.contradiction
    }

    /// All constraints, the one that was added last first.
    pub fn newest_first(&self) -> impl Iterator<Item = Expr> + '_ {
        std::iter::successors(self.order.as_deref(), |l| l.previous.as_deref()).map(|l| l.constraint)
    }

    /// All constraints, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = Expr> + '_ {
        let mut all = Vec::with_capacity(self.len());
        let mut link = self.order.as_deref();
        while let Some(l) = link {
            all.push(l.constraint);
            link = l.previous.as_deref();
        }
        all.into_iter().rev()
    }

    /// Is `c` itself one of the constraints?
    pub fn contains(&self, ex: &mut Exprs, c: Expr) -> bool {
        let support = ex.support(c);
        self.has(&self.touched(&support), c)
    }

    /// Is it one of those in the groups it touches?
    fn has(&self, touched: &[Rc<Group>], c: Expr) -> bool {
        match &self.present {
            Some(present) => present.get(c.index() as u32).is_some(),
            None => touched.iter().any(|g| g.constraints.contains(c)),
        }
    }

    /// The constraints that share a symbol with `support`, directly or through other constraints; sorted by handle.
    pub fn constraints_for(&self, support: &[SymbolId]) -> Vec<Expr> {
        self.slice(support).constraints
    }

    /// The values that the constraints leave to a symbol, when none of them has another symbol too; `of` gives the
    /// values that satisfy one constraint. What is found is kept, so that the next call looks at new constraints
    /// only. `None`: the symbol is not alone, or `of` cannot tell.
    pub(crate) fn allowed(&self, s: SymbolId, of: impl FnMut(Expr) -> Option<ByteSet>) -> Option<ByteSet> {
        match self.groups.get(self.name(s).0) {
            Some(group) if group.symbols.len() == 1 => group.allowed(of),
            Some(_) => None,
            None => Some(ByteSet::ALL),
        }
    }

    /// What a query over `support` can see.
    pub(crate) fn slice(&self, support: &[SymbolId]) -> Slice {
        let touched = self.touched(support);
        let mut slice = Slice::default();
        match &touched[..] {
            [one] if contains_all(&one.symbols, support) => slice.symbols.extend_from_slice(&one.symbols),
            _ => {
                slice.symbols.extend_from_slice(support);
                touched.iter().for_each(|g| slice.symbols.extend_from_slice(&g.symbols));
                slice.symbols.sort_unstable();
                slice.symbols.dedup();
            }
        }
        touched.iter().for_each(|g| g.constraints.collect(&mut slice.constraints));
        slice.constraints.sort_unstable();
        slice
    }

    /// The whole set as one slice, for a query with this support (the chain without independence).
    pub(crate) fn everything(&self, ex: &mut Exprs, support: &[SymbolId]) -> Slice {
        let mut slice = Slice { constraints: self.iter().collect(), symbols: support.to_vec() };
        for &c in &slice.constraints {
            slice.symbols.extend_from_slice(&ex.support(c));
        }
        slice.symbols.sort_unstable();
        slice.symbols.dedup();
        slice.constraints.sort_unstable();
        slice
    }

    /// Bytes this set would take if it shared nothing with its copies; an upper bound, for memory limits.
    pub fn memory_bytes(&self) -> usize {
        const RC: usize = 2 * size_of::<usize>();
        let mut bytes = size_of::<ConstraintSet>() + self.names.bytes() + self.groups.bytes();
        bytes += self.present.as_ref().map_or(0, Trie::bytes);
        bytes += self.len() * (size_of::<Link>() + size_of::<Bag>() + 2 * RC);
        self.groups.each(&mut |g| {
            bytes += size_of::<Group>() + RC + size_of_val(&g.symbols[..]) + RC;
        });
        bytes
    }
}

impl std::fmt::Debug for ConstraintSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Is the sorted `few` a subset of the sorted `many`?
fn contains_all(many: &[SymbolId], few: &[SymbolId]) -> bool {
    few.iter().all(|s| many.binary_search(s).is_ok())
}

impl Group {
    /// See [`ConstraintSet::allowed`].
    fn allowed(&self, mut of: impl FnMut(Expr) -> Option<ByteSet>) -> Option<ByteSet> {
        let mut memo = self.allowed.borrow_mut();
        let mut set = ByteSet::ALL;
        let mut here = Some(&self.constraints);
        while let Some(bag) = here {
            if let Some((known, values)) = &*memo
                && Rc::ptr_eq(known, bag)
            {
                set = set.and(*values);
                break;
            }
            // One symbol has one group, so nothing was ever united: the bag is a list.
            debug_assert!(bag.second.is_none());
            if let Some(c) = bag.constraint {
                set = set.and(of(c)?);
            }
            here = bag.first.as_ref();
        }
        *memo = Some((Rc::clone(&self.constraints), set));
        Some(set)
    }
}

impl Bag {
    fn each(&self, mut visit: impl FnMut(Expr) -> bool) {
        let mut todo: Vec<&Bag> = Vec::new();
        let mut here = Some(self);
        while let Some(bag) = here {
            if let Some(c) = bag.constraint
                && !visit(c)
            {
                return;
            }
            todo.extend(bag.second.as_deref());
            here = bag.first.as_deref().or_else(|| todo.pop());
        }
    }

    fn contains(&self, c: Expr) -> bool {
        let mut found = false;
        self.each(|x| {
            found = x == c;
            !found
        });
        found
    }

    fn collect(&self, out: &mut Vec<Expr>) {
        self.each(|c| {
            out.push(c);
            true
        });
    }
}

// Paths of a million constraints are ordinary: dropping must not recurse.
impl Drop for Link {
    fn drop(&mut self) {
        let mut next = self.previous.take();
        while let Some(mut link) = next.and_then(|rc| Rc::try_unwrap(rc).ok()) {
            next = link.previous.take();
        }
    }
}

impl Drop for Bag {
    fn drop(&mut self) {
        let mut todo: Vec<Rc<Bag>> = Vec::new();
        let mut here = self.first.take();
        todo.extend(self.second.take());
        while let Some(rc) = here.or_else(|| todo.pop()) {
            here = None;
            if let Ok(mut bag) = Rc::try_unwrap(rc) {
                here = bag.first.take();
                todo.extend(bag.second.take());
            }
        }
    }
}

const RADIX_BITS: u32 = 3;
const RADIX: usize = 1 << RADIX_BITS;

/// A persistent map from small numbers: a radix trie whose shared nodes are copied when written.
#[derive(Clone)]
struct Trie<T> {
    root: Option<Rc<TrieNode<T>>>,
    /// Levels below the root.
    height: u32,
}

#[derive(Clone)]
enum TrieNode<T> {
    Inner([Option<Rc<TrieNode<T>>>; RADIX]),
    Leaf([Option<T>; RADIX]),
}

impl<T> Default for Trie<T> {
    fn default() -> Self {
        Trie { root: None, height: 0 }
    }
}

impl<T: Clone> Trie<T> {
    fn covers(&self, key: u32) -> bool {
        let bits = RADIX_BITS * (self.height + 1);
        bits >= 32 || key >> bits == 0
    }

    fn get(&self, key: u32) -> Option<&T> {
        if !self.covers(key) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut height = self.height;
        loop {
            let slot = (key >> (RADIX_BITS * height)) as usize % RADIX;
            match node {
                TrieNode::Inner(children) => node = children[slot].as_deref()?,
                TrieNode::Leaf(values) => return values[slot].as_ref(),
            }
            height -= 1;
        }
    }

    fn set(&mut self, key: u32, value: T) {
        self.put(key, Some(value));
    }

    fn remove(&mut self, key: u32) {
        if self.get(key).is_some() {
            self.put(key, None);
        }
    }

    fn put(&mut self, key: u32, value: Option<T>) {
        while !self.covers(key) {
            if let Some(root) = self.root.take() {
                let mut children = [const { None }; RADIX];
                children[0] = Some(root);
                self.root = Some(Rc::new(TrieNode::Inner(children)));
            }
            self.height += 1;
        }
        let mut height = self.height;
        let mut place = &mut self.root;
        loop {
            let node = place.get_or_insert_with(|| {
                Rc::new(match height {
                    0 => TrieNode::Leaf([const { None }; RADIX]),
                    _ => TrieNode::Inner([const { None }; RADIX]),
                })
            });
            let slot = (key >> (RADIX_BITS * height)) as usize % RADIX;
            match Rc::make_mut(node) {
                TrieNode::Inner(children) => place = &mut children[slot],
                TrieNode::Leaf(values) => {
                    values[slot] = value;
                    return;
                }
            }
            height -= 1;
        }
    }

    fn nodes(&self) -> Vec<&TrieNode<T>> {
        let mut all: Vec<&TrieNode<T>> = self.root.as_deref().into_iter().collect();
        let mut next = 0;
        while next < all.len() {
            if let TrieNode::Inner(children) = all[next] {
                all.extend(children.iter().flatten().map(|c| &**c));
            }
            next += 1;
        }
        all
    }

    fn each(&self, visit: &mut impl FnMut(&T)) {
        for node in self.nodes() {
            if let TrieNode::Leaf(values) = node {
                values.iter().flatten().for_each(&mut *visit);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.nodes().len() * (size_of::<TrieNode<T>>() + 2 * size_of::<usize>())
    }
}
