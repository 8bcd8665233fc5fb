//! States in order of arrival: a doubly linked list over slots, so that any state can leave in constant time.

use crate::forest::Slot;

const NONE: u32 = u32::MAX;

/// The list.
#[derive(Debug)]
pub(crate) struct Queue {
    /// (before, after) of each slot.
    links: Vec<(u32, u32)>,
    first: u32,
    last: u32,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue { links: Vec::new(), first: NONE, last: NONE }
    }
}

impl Queue {
    pub fn first(&self) -> Option<Slot> {
        (self.first != NONE).then_some(self.first)
    }

    pub fn last(&self) -> Option<Slot> {
        (self.last != NONE).then_some(self.last)
    }

    pub fn push(&mut self, slot: Slot) {
        if self.links.len() <= slot as usize {
            self.links.resize(slot as usize + 1, (NONE, NONE));
        }
        self.links[slot as usize] = (self.last, NONE);
        match self.last {
            NONE => self.first = slot,
            l => self.links[l as usize].1 = slot,
        }
        self.last = slot;
    }

    pub fn remove(&mut self, slot: Slot) {
        let (before, after) = self.links[slot as usize];
        match before {
            NONE => self.first = after,
            b => self.links[b as usize].1 = after,
        }
        match after {
            NONE => self.last = before,
            a => self.links[a as usize].0 = before,
        }
    }
}
