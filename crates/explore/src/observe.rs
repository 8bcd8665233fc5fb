//! Watching a search: who was chosen, with its statistics and features, whatever the heuristic. It changes nothing of the
//! search; without an observer nothing is spent on it.

use crate::forest::Slot;
use crate::searcher::{FEATURES, Ranking, STATISTICS, View};
use forkwise_vm::State;

/// A state that was chosen to run.
pub struct Selection<'a> {
    /// Number of the selection, from 1.
    pub number: u64,
    /// Instructions executed so far, over all paths (those before `main` included).
    pub instructions: u64,
    /// States alive.
    pub states: usize,
    /// The chosen state.
    pub state: &'a State,
    /// Its statistics, in the order of `STATE_STATISTICS`.
    pub statistics: [u64; STATISTICS],
    /// Bit i: has it feature i of `STATE_FEATURES`? With fewer than ten states none has any.
    pub bits: u32,
}

impl Selection<'_> {
    /// The features one by one.
    pub fn features(&self) -> [bool; FEATURES] {
        std::array::from_fn(|i| self.bits >> i & 1 == 1)
    }
}

/// Hears of every selection.
pub type Observer = Box<dyn FnMut(&Selection<'_>)>;

/// An observer with the ranks of all live states.
pub(crate) struct Watch {
    observer: Observer,
    ranking: Ranking,
}

impl Watch {
    pub fn new(observer: Observer) -> Watch {
        Watch { observer, ranking: Ranking::default() }
    }

    /// As `Searcher::update`.
    pub fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        self.ranking.update(view, current, added, removed);
        self.ranking.take_changed();
    }

    /// A state was chosen.
    pub fn selected(&mut self, view: View<'_>, slot: Slot, number: u64, instructions: u64) {
        self.update(view, None, &[], &[]);
        (self.observer)(&Selection {
            number,
            instructions,
            states: view.forest.len(),
            state: view.forest.state(slot),
            statistics: self.ranking.values(slot).copied().unwrap_or_default(),
            bits: self.ranking.bits(slot),
        });
    }
}
