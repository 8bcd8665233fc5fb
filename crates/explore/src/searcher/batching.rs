//! Keeps a state for a number of instructions or a time before the wrapped searcher is asked again: less jumping
//! between states, at the price of following one path for longer.

use super::{Searcher, View};
use crate::forest::Slot;
use std::time::{Duration, Instant};

/// See the module text.
pub struct Batching {
    inner: Box<dyn Searcher>,
    instructions: Option<u64>,
    time: Option<Duration>,
    /// The kept state, its count when it was chosen, and when.
    kept: Option<(Slot, u64, Instant)>,
}

impl Batching {
    /// Batches of at most this many instructions and this time.
    pub fn new(inner: Box<dyn Searcher>, instructions: Option<u64>, time: Option<Duration>) -> Batching {
        Batching { inner, instructions, time, kept: None }
    }
}

impl Searcher for Batching {
    fn select(&mut self, view: View<'_>) -> Slot {
        if let Some((slot, count, since)) = self.kept {
            let used = view.forest.state(slot).instructions.saturating_sub(count);
            let within = self.instructions.is_none_or(|n| used < n);
            if within && self.time.is_none_or(|t| since.elapsed() < t) {
                return slot;
            }
        }
        let slot = self.inner.select(view);
        self.kept = Some((slot, view.forest.state(slot).instructions, Instant::now()));
        slot
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        if let Some((slot, ..)) = self.kept
            && removed.contains(&slot)
        {
            self.kept = None;
        }
        self.inner.update(view, current, added, removed);
    }

    fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    fn name(&self) -> String {
        self.inner.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::Dfs;
    use crate::searcher::tests::World;

    #[test]
    fn a_state_is_kept_over_its_forks_until_the_batch_is_used_up() {
        let mut world = World::new();
        let mut s = Batching::new(Box::<Dfs>::default(), Some(100), None);
        let a = world.root(&mut s);
        assert_eq!(s.select(world.view()), a);
        let b = world.fork(&mut s, a);
        world.forest.state_mut(a).instructions += 99;
        assert_eq!(s.select(world.view()), a);
        world.forest.state_mut(a).instructions += 1;
        assert_eq!(s.select(world.view()), b);
    }
}
