//! A random walk from the root of the execution tree to a leaf. Favours states high up in the tree, which have few
//! constraints and much left to explore, and does not starve when one loop forks without end.

use super::{Searcher, View};
use crate::forest::Slot;
use crate::random::Random;

/// See the module text.
#[derive(Debug)]
pub struct RandomPath {
    random: Random,
    states: usize,
}

impl RandomPath {
    /// No states yet.
    pub fn new(random: Random) -> RandomPath {
        RandomPath { random, states: 0 }
    }
}

impl Searcher for RandomPath {
    fn select(&mut self, view: View<'_>) -> Slot {
        view.forest.random_path(&mut self.random).expect("there is a state")
    }

    fn update(&mut self, _: View<'_>, _: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        self.states += added.len();
        self.states -= removed.len();
    }

    fn is_empty(&self) -> bool {
        self.states == 0
    }

    fn name(&self) -> String {
        "random-path".into()
    }
}
