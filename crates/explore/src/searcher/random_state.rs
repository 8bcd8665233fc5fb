//! Uniform choice over all live states.

use super::{Searcher, View};
use crate::forest::Slot;
use crate::random::Random;

/// See the module text.
#[derive(Debug)]
pub struct RandomState {
    random: Random,
    slots: Vec<Slot>,
    /// Position of each slot in `slots`.
    at: Vec<u32>,
}

impl RandomState {
    /// No states yet.
    pub fn new(random: Random) -> RandomState {
        RandomState { random, slots: Vec::new(), at: Vec::new() }
    }
}

impl Searcher for RandomState {
    fn select(&mut self, _: View<'_>) -> Slot {
        self.slots[self.random.below(self.slots.len() as u64) as usize]
    }

    fn update(&mut self, _: View<'_>, _: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        for &slot in added {
            if self.at.len() <= slot as usize {
                self.at.resize(slot as usize + 1, 0);
            }
            self.at[slot as usize] = self.slots.len() as u32;
            self.slots.push(slot);
        }
        for &slot in removed {
            let i = self.at[slot as usize] as usize;
            self.slots.swap_remove(i);
            if let Some(moved) = self.slots.get(i) {
                self.at[*moved as usize] = i as u32;
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn name(&self) -> String {
        "random-state".into()
    }
}
