//! Garbage collection of expressions: everything that live states can still name is kept.

use crate::machine::Vm;
use crate::state::State;
use forkwise_expr::Expr;
use rustc_hash::FxHashSet;

/// Addresses of shared parts already visited. States share almost everything, so each part is looked at once.
#[derive(Default)]
pub struct Visited(FxHashSet<usize>);

impl Visited {
    /// True the first time a part is seen.
    pub fn first<T>(&mut self, part: &T) -> bool {
        self.0.insert(std::ptr::from_ref(part) as usize)
    }
}

impl Vm {
    /// Frees expressions that none of the given states (which must be all live ones) can reach. Returns how many.
    pub fn collect_garbage<'a>(&mut self, states: impl Iterator<Item = &'a State>) -> usize {
        let mut roots: Vec<Expr> = Vec::new();
        let mut visited = Visited::default();
        for st in states {
            st.expressions(&mut visited, &mut roots);
        }
        roots.sort_unstable();
        roots.dedup();
        // Caches name expressions, too; they are cheaper to fill again than to keep.
        self.solver.clear_memory_of_exprs();
        self.constant_tables.clear();
        self.words.clear();
        self.exprs.collect(roots.into_iter())
    }

    /// Moves the witness to one that satisfies as many of the state's preferences as can be had, in their order.
    pub fn apply_preferences(&mut self, st: &mut State) {
        for p in st.preferences.clone().iter() {
            // What cannot be preferred is left; the path itself never changes.
            let _ = self.require(st, *p);
        }
    }
}
