//! The live states, by slot, and the execution tree over them.
//!
//! A slot is a small number that is used again after its state is gone, so that searchers can keep plain arrays by
//! slot. Nothing here decides anything; read `searcher` for that.

use crate::random::Random;
use crate::tree::{Node, Tree};
use forkwise_vm::State;

/// Where a live state is kept.
pub type Slot = u32;

#[derive(Default)]
struct Entry {
    state: Option<Box<State>>,
    leaf: Node,
}

/// See the module text.
#[derive(Default)]
pub struct Forest {
    entries: Vec<Entry>,
    free: Vec<Slot>,
    tree: Tree,
}

impl Forest {
    /// No states.
    pub fn new() -> Forest {
        Forest::default()
    }

    /// Number of live states.
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state in a slot; the slot must be in use.
    pub fn state(&self, slot: Slot) -> &State {
        self.entries[slot as usize].state.as_deref().expect("the slot is in use")
    }

    /// The state in a slot; the slot must be in use.
    pub fn state_mut(&mut self, slot: Slot) -> &mut State {
        self.entries[slot as usize].state.as_deref_mut().expect("the slot is in use")
    }

    /// Slots in use, in ascending order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.entries.iter().enumerate().filter(|(_, e)| e.state.is_some()).map(|(i, _)| i as Slot)
    }

    fn take_slot(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry::default());
            (self.entries.len() - 1) as Slot
        })
    }

    /// Adds a state that no live state was forked into.
    pub fn plant(&mut self, state: Box<State>) -> Slot {
        let slot = self.take_slot();
        let leaf = self.tree.plant(slot);
        self.entries[slot as usize] = Entry { state: Some(state), leaf };
        slot
    }

    /// Adds a sibling of the state in `of`.
    pub fn fork(&mut self, of: Slot, sibling: Box<State>) -> Slot {
        let slot = self.take_slot();
        let leaf = self.tree.split(self.entries[of as usize].leaf, slot);
        self.entries[slot as usize] = Entry { state: Some(sibling), leaf };
        slot
    }

    /// Takes a state out; its slot becomes free.
    pub fn remove(&mut self, slot: Slot) -> Box<State> {
        let entry = &mut self.entries[slot as usize];
        let state = entry.state.take().expect("the slot is in use");
        self.tree.remove(entry.leaf);
        self.free.push(slot);
        state
    }

    /// A random walk down the execution tree.
    pub fn random_path(&self, random: &mut Random) -> Option<Slot> {
        self.tree.random_leaf(random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_vm::{Frame, Memory};

    #[test]
    fn slots_are_used_again_and_cost_little() {
        assert!(size_of::<Entry>() <= 16, "a hundred thousand live states are ordinary");
        let state = |id| Box::new(State::new(id, Frame::empty(), Memory::new(0, 0)));
        let mut forest = Forest::new();
        let a = forest.plant(state(1));
        let b = forest.fork(a, state(2));
        assert_eq!((forest.len(), forest.state(b).id), (2, 2));
        assert_eq!(forest.remove(a).id, 1);
        assert_eq!(forest.slots().collect::<Vec<_>>(), [b]);
        assert_eq!(forest.fork(b, state(3)), a);
        assert_eq!(forest.len(), 2);
    }
}
