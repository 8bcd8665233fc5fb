//! The symbols an expression depends on, as shared, interned, sorted sets. Computed on demand by an iterative walk
//! and remembered per node; unions of two known sets are remembered too, so chains over the same inputs are cheap.

use crate::build::Exprs;
use crate::node::{Expr, Kind, SymbolId, TableId};
use crate::store::Tag;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A set's number; 0 stands for "not computed", 1 for the empty set.
type SetId = u32;
const UNKNOWN: SetId = 0;
const EMPTY: SetId = 1;

/// Interned sets and the set of each node.
pub(crate) struct Supports {
    sets: Vec<Rc<[SymbolId]>>,
    ids: FxHashMap<Rc<[SymbolId]>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    of_node: Vec<SetId>,
    symbols_held: usize,
}

impl Default for Supports {
    fn default() -> Supports {
        let empty: Rc<[SymbolId]> = Rc::from([]);
        let mut ids = FxHashMap::default();
        ids.insert(Rc::clone(&empty), EMPTY);
        Supports {
            sets: vec![Rc::clone(&empty), empty],
            ids,
            unions: FxHashMap::default(),
            of_node: Vec::new(),
            symbols_held: 0,
        }
    }
}

impl Supports {
    fn get(&self, e: Expr) -> SetId {
        self.of_node.get(e.index()).copied().unwrap_or(UNKNOWN)
    }

    fn set(&mut self, e: Expr, id: SetId) {
        if self.of_node.len() <= e.index() {
            self.of_node.resize(e.index() + 1 + e.index() / 2, UNKNOWN);
        }
        self.of_node[e.index()] = id;
    }

    fn intern(&mut self, set: Vec<SymbolId>) -> SetId {
        if let Some(&id) = self.ids.get(&set[..]) {
            return id;
        }
        self.symbols_held += set.len();
        let set: Rc<[SymbolId]> = Rc::from(set);
        let id = self.sets.len() as SetId;
        self.sets.push(Rc::clone(&set));
        self.ids.insert(set, id);
        id
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&id) = self.unions.get(&key) {
            return id;
        }
        let merged = merge(&self.sets[a as usize], &self.sets[b as usize]);
        let id = self.intern(merged);
        self.unions.insert(key, id);
        id
    }

    pub fn memory_bytes(&self) -> usize {
        let set_entry = size_of::<(Rc<[SymbolId]>, SetId)>() + 1;
        self.of_node.capacity() * size_of::<SetId>()
            + self.sets.capacity() * size_of::<Rc<[SymbolId]>>()
            + self.ids.capacity() * set_entry
            + self.unions.capacity() * (size_of::<((SetId, SetId), SetId)>() + 1)
            + self.symbols_held * size_of::<SymbolId>()
            + self.sets.len() * 16
    }
}

/// The union of two sorted sets.
fn merge(a: &[SymbolId], b: &[SymbolId]) -> Vec<SymbolId> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let next = a[i].min(b[j]);
        i += usize::from(a[i] == next);
        j += usize::from(b[j] == next);
        out.push(next);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

impl Exprs {
    /// The symbols an expression depends on: sorted, without repetition, computed once per node and shared.
    pub fn support(&mut self, e: Expr) -> Rc<[SymbolId]> {
        let id = self.support_id(e);
        Rc::clone(&self.supports.sets[id as usize])
    }

    fn support_id(&mut self, e: Expr) -> SetId {
        let known = self.supports.get(e);
        if known != UNKNOWN {
            return known;
        }
        let mut stack = vec![e];
        while let Some(&top) = stack.last() {
            if self.supports.get(top) == UNKNOWN {
                match self.combine_operands(top, &mut stack) {
                    Some(id) => self.supports.set(top, id),
                    None => continue,
                }
            }
            stack.pop();
        }
        self.supports.get(e)
    }

    /// The union over the operands, or `None` after pushing the operands whose sets are still unknown.
    fn combine_operands(&mut self, e: Expr, stack: &mut Vec<Expr>) -> Option<SetId> {
        let n = *self.store.node(e);
        match n.kind() {
            Kind::Const => Some(EMPTY),
            Kind::Symbol(s) => Some(self.supports.intern(vec![s])),
            Kind::Lookup(t, index) => {
                let table = self.table_support(t, stack);
                let index = self.wait_for(index, stack);
                Some(self.supports.union(table?, index?))
            }
            _ => {
                let operands = n.operands();
                let before = stack.len();
                for &o in operands.iter().flatten() {
                    self.wait_for(o, stack);
                }
                if stack.len() > before {
                    return None;
                }
                let mut id = EMPTY;
                for &o in operands.iter().flatten() {
                    id = self.supports.union(id, self.supports.get(o));
                }
                Some(id)
            }
        }
    }

    fn wait_for(&self, e: Expr, stack: &mut Vec<Expr>) -> Option<SetId> {
        let id = self.supports.get(e);
        if id == UNKNOWN {
            stack.push(e);
            return None;
        }
        Some(id)
    }

    fn table_support(&mut self, t: TableId, stack: &mut Vec<Expr>) -> Option<SetId> {
        let table = self.store.table(t);
        if table.support != UNKNOWN {
            return Some(table.support);
        }
        let elements = Rc::clone(&table.elements);
        let before = stack.len();
        for &e in elements.iter() {
            if self.store.node(e).tag != Tag::CONST {
                self.wait_for(e, stack);
            }
        }
        if stack.len() > before {
            return None;
        }
        // One sort over all symbols: pairwise unions would be quadratic in the table's size.
        let mut ids: Vec<SetId> =
            elements.iter().map(|&e| self.supports.get(e)).filter(|&i| i > EMPTY).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut symbols: Vec<SymbolId> =
            ids.iter().flat_map(|&i| self.supports.sets[i as usize].iter().copied()).collect();
        symbols.sort_unstable();
        symbols.dedup();
        let id = self.supports.intern(symbols);
        if let Some(table) = &mut self.store.tables[t.0 as usize] {
            table.support = id;
        }
        Some(id)
    }
}
