//! Weighted random choice over the live states (`nurs:…`).
//!
//! Weights are kept in a tree and brought up to date when a state runs. Between two runs of a state its weight can
//! only fall (code that others cover moves uncovered code away from it, code that others execute is no longer rare), so a kept weight is an upper bound, and
//! drawing with rejection gives exactly the distribution of the true weights without touching all states.

use super::weight_tree::WeightTree;
use super::{Searcher, View};
use crate::distance::{UNREACHABLE, block_of};
use crate::forest::Slot;
use crate::random::Random;

/// What a state's weight is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// Near uncovered code, or covered new code not long ago.
    CoveringNew,
    /// Near uncovered code.
    MinDistance,
    /// Deep in the execution tree.
    Depth,
    /// 2 to the minus depth.
    RandomPath,
    /// Cheap for the solver so far, by counted work instead of time, which would not repeat.
    QueryCost,
    /// At an instruction that was rarely executed, over all states.
    InstructionCount,
    /// In a call path that executed few instructions, over all states.
    CallPathCount,
}

impl Weight {
    fn of(self, view: View<'_>, slot: Slot) -> f64 {
        let st = view.forest.state(slot);
        let near = || match view.distances.of_state(view.program, st) {
            UNREACHABLE => 1.0 / 10_000.0,
            d => 1.0 / f64::from(d.max(1)),
        };
        match self {
            Weight::MinDistance => near().powi(2),
            Weight::CoveringNew => {
                let fresh = st.last_new.map_or(0.0, |at| {
                    let since = st.instructions.saturating_sub(at).saturating_sub(1000).max(1);
                    1.0 / since as f64
                });
                near().powi(2) + fresh.powi(2)
            }
            Weight::Depth => f64::from(st.depth.max(1)),
            // Beyond this depth the weights are too small to matter, and smaller ones would vanish.
            Weight::RandomPath => 0.5f64.powi(st.depth.min(1000) as i32),
            Weight::QueryCost => {
                let seconds = st.solver_work as f64 / 1e9;
                if seconds < 0.1 { 1.0 } else { 1.0 / seconds }
            }
            Weight::InstructionCount => {
                let block = block_of(view.program, st);
                1.0 / (block.map_or(0, |b| view.counts.of_block(b)).max(1) as f64).powi(2)
            }
            Weight::CallPathCount => 1.0 / view.counts.of_call_path(st.frame.call_path).max(1) as f64,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Weight::CoveringNew => "nurs:covnew",
            Weight::MinDistance => "nurs:md2u",
            Weight::Depth => "nurs:depth",
            Weight::RandomPath => "nurs:rp",
            Weight::QueryCost => "nurs:qc",
            Weight::InstructionCount => "nurs:icnt",
            Weight::CallPathCount => "nurs:cpicnt",
        }
    }
}

/// See the module text.
#[derive(Debug)]
pub struct Weighted {
    weight: Weight,
    random: Random,
    tree: WeightTree,
    states: usize,
}

impl Weighted {
    /// No states yet.
    pub fn new(weight: Weight, random: Random) -> Weighted {
        Weighted { weight, random, tree: WeightTree::default(), states: 0 }
    }
}

impl Searcher for Weighted {
    fn select(&mut self, view: View<'_>) -> Slot {
        loop {
            let at = self.random.unit();
            let slot = self.tree.at(at).expect("there is a state, and no state has weight 0");
            let (kept, now) = (self.tree.get(slot), self.weight.of(view, slot));
            if now == kept {
                return slot;
            }
            self.tree.set(slot, now);
            if now > kept || self.random.unit() * kept < now {
                return slot;
            }
        }
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        for slot in current.iter().chain(added) {
            let weight = self.weight.of(view, *slot);
            self.tree.set(*slot, weight);
        }
        for slot in removed {
            self.tree.set(*slot, 0.0);
        }
        self.states = self.states + added.len() - removed.len();
    }

    fn is_empty(&self) -> bool {
        self.states == 0
    }

    fn name(&self) -> String {
        self.weight.name().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::tests::World;

    #[test]
    fn weights_that_fell_unseen_are_noticed_when_drawn() {
        let (mut world, mut s) = (World::new(), Weighted::new(Weight::Depth, Random::new(2)));
        let a = world.root(&mut s);
        let b = world.fork(&mut s, a);
        world.forest.state_mut(a).depth = 30;
        world.forest.state_mut(b).depth = 30;
        s.update(world.view(), Some(a), &[], &[]);
        s.update(world.view(), Some(b), &[], &[]);
        // Nobody tells the searcher that b's weight is a thirtieth now.
        world.forest.state_mut(b).depth = 1;
        let n = (0..3100).filter(|_| s.select(world.view()) == b).count();
        assert!((50..160).contains(&n), "{n}");
    }

    #[test]
    fn expensive_paths_are_avoided_by_the_work_that_was_counted() {
        let (mut world, mut s) = (World::new(), Weighted::new(Weight::QueryCost, Random::new(2)));
        let a = world.root(&mut s);
        let b = world.fork(&mut s, a);
        // Twenty seconds against less than a tenth of one; the clock does not count.
        world.forest.state_mut(a).solver_work = 20_000_000_000;
        world.forest.state_mut(b).solver_work = 90_000_000;
        world.forest.state_mut(b).solver_nanos = 90_000_000_000;
        s.update(world.view(), Some(a), &[], &[]);
        s.update(world.view(), Some(b), &[], &[]);
        let n = (0..2100).filter(|_| s.select(world.view()) == a).count();
        assert!((50..160).contains(&n), "{n}");
    }

    #[test]
    fn many_states_are_chosen_from_quickly() {
        let (mut world, mut s) = (World::new(), Weighted::new(Weight::RandomPath, Random::new(2)));
        let a = world.root(&mut s);
        for _ in 0..20_000 {
            world.fork(&mut s, a);
        }
        let start = std::time::Instant::now();
        for _ in 0..20_000 {
            s.select(world.view());
        }
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
