//! Iterative deepening: every path may use up a slice of time or of instructions, and then rests until all others have
//! used up theirs; then all go on with twice the slice. No path starves the others, however long it is.
//!
//! A forked state has used up what its path had: a loop that forks for ever rests like one that does not. Slices of
//! instructions repeat from run to run; slices of time, KLEE's, do not.

use super::{Searcher, View};
use crate::forest::Slot;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The first slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slice {
    /// Instructions of a path.
    Instructions(u64),
    /// Time that a path was run.
    Time(Duration),
}

/// Random walks that end at a resting state before another choice is made.
const WALKS: usize = 16;

/// See the module text.
pub struct Slices {
    inner: Box<dyn Searcher>,
    /// In instructions or nanoseconds.
    slice: u64,
    by_time: bool,
    /// By slot: used up in this round.
    used: Vec<u64>,
    /// The chosen state, its instruction count then, and when.
    chosen: Option<(Slot, u64, Instant)>,
    active: BTreeSet<Slot>,
    resting: BTreeSet<Slot>,
}

impl Slices {
    /// Begins with this slice, which doubles in each round.
    pub fn new(inner: Box<dyn Searcher>, first: Slice) -> Slices {
        let (slice, by_time) = match first {
            Slice::Instructions(n) => (n.max(1), false),
            Slice::Time(t) => (t.as_nanos().clamp(1, u128::from(u64::MAX)) as u64, true),
        };
        Slices {
            inner,
            slice,
            by_time,
            used: Vec::new(),
            chosen: None,
            active: BTreeSet::new(),
            resting: BTreeSet::new(),
        }
    }

    fn set_used(&mut self, slot: Slot, used: u64) {
        if self.used.len() <= slot as usize {
            self.used.resize(slot as usize + 1, 0);
        }
        self.used[slot as usize] = used;
    }

    /// What the path that just ran has used up.
    fn charge(&mut self, view: View<'_>, ran: Slot) -> u64 {
        let before = self.used.get(ran as usize).copied().unwrap_or(0);
        let Some((_, count, since)) = self.chosen.filter(|c| c.0 == ran) else { return before };
        let instructions = view.forest.state(ran).instructions;
        // What follows belongs to the next account: a state may be kept without being chosen again.
        self.chosen = Some((ran, instructions, Instant::now()));
        before
            + match self.by_time {
                true => since.elapsed().as_nanos() as u64,
                false => instructions.saturating_sub(count),
            }
    }
}

impl Searcher for Slices {
    fn select(&mut self, view: View<'_>) -> Slot {
        // A walk down the execution tree does not know who rests.
        let found = (0..WALKS).map(|_| self.inner.select(view)).find(|slot| self.active.contains(slot));
        let slot = found.or_else(|| self.active.first().copied()).expect("there is a state");
        self.chosen = Some((slot, view.forest.state(slot).instructions, Instant::now()));
        slot
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        let ran =
            current.or_else(|| removed.iter().copied().find(|r| self.chosen.is_some_and(|c| c.0 == *r)));
        let used = ran.map_or(0, |slot| self.charge(view, slot));
        for slot in current.iter().chain(added) {
            self.set_used(*slot, used);
        }
        self.active.extend(added);
        let (rested, gone): (Vec<Slot>, Vec<Slot>) =
            removed.iter().copied().partition(|slot| self.resting.remove(slot));
        drop(rested);
        gone.iter().for_each(|slot| {
            self.active.remove(slot);
        });
        // A state that runs although it rests (it has a seed) is none of the wrapped searcher's.
        let current = current.filter(|slot| self.active.contains(slot));
        self.inner.update(view, current, added, &gone);
        if used >= self.slice {
            let tired: Vec<Slot> = current.iter().chain(added).copied().collect();
            for slot in &tired {
                self.active.remove(slot);
                self.resting.insert(*slot);
            }
            self.inner.update(view, None, &[], &tired);
        }
        if self.active.is_empty() && !self.resting.is_empty() {
            self.slice = self.slice.saturating_mul(2);
            let awake: Vec<Slot> = std::mem::take(&mut self.resting).into_iter().collect();
            awake.iter().for_each(|slot| self.set_used(*slot, 0));
            self.active.extend(&awake);
            self.inner.update(view, None, &awake, &[]);
        }
    }

    fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    fn name(&self) -> String {
        self.inner.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::searcher::tests::World;
    use crate::searcher::{Dfs, RandomPath};

    /// Lets the chosen state run so many instructions.
    fn run(world: &mut World, s: &mut Slices, instructions: u64) -> Slot {
        let slot = s.select(world.view());
        world.forest.state_mut(slot).instructions += instructions;
        s.update(world.view(), Some(slot), &[], &[]);
        slot
    }

    #[test]
    fn a_state_rests_when_its_slice_is_used_up_and_slices_double() {
        let mut world = World::new();
        let mut s = Slices::new(Box::<Dfs>::default(), Slice::Instructions(100));
        let a = world.root(&mut s);
        let b = world.fork(&mut s, a);
        // Depth first alone would stay with b for ever.
        assert_eq!([60, 60].map(|n| run(&mut world, &mut s, n)), [b, b]);
        assert_eq!(run(&mut world, &mut s, 100), a);
        // A new round, of 200 instructions each.
        let mut seen: Vec<Slot> = (0..4).map(|_| run(&mut world, &mut s, 100)).collect();
        seen.sort_unstable();
        assert_eq!(seen, [a, a, b, b]);
        world.end(&mut s, a);
        world.end(&mut s, b);
        assert!(s.is_empty());
    }

    #[test]
    fn a_fork_has_used_up_what_its_path_has() {
        let mut world = World::new();
        let mut s = Slices::new(Box::<Dfs>::default(), Slice::Instructions(100));
        let a = world.root(&mut s);
        let other = world.fork(&mut s, a);
        run(&mut world, &mut s, 90);
        let chosen = s.select(world.view());
        assert_eq!(chosen, other);
        world.forest.state_mut(chosen).instructions += 10;
        world.fork(&mut s, chosen);
        assert_eq!(s.select(world.view()), a, "both sides of the fork rest");
    }

    #[test]
    fn walks_down_the_tree_do_not_wake_resting_states() {
        let mut world = World::new();
        let mut s = Slices::new(Box::new(RandomPath::new(Random::new(3))), Slice::Instructions(10));
        let a = world.root(&mut s);
        for _ in 0..20 {
            world.fork(&mut s, a);
        }
        let mut order: Vec<Slot> = (0..21).map(|_| run(&mut world, &mut s, 10)).collect();
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len(), 21, "each has one slice before any has two");
    }
}
