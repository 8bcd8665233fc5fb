//! The sides beside the best path: states that wait there, which of them to try next, and what is known of such tries.
//! A state is tried once; when all were, the path is a local optimum and is run again for another way to go on.

use crate::machine::{Left, Trail};
use crate::path::{Decision, Site};
use forkwise_explore::Random;
use forkwise_vm::State;
use std::collections::BTreeMap;

/// Tries and gains.
#[derive(Clone, Copy, Default)]
struct Record {
    tries: u32,
    gains: u32,
}

impl Record {
    fn rate(self) -> f64 {
        (f64::from(self.gains) + 1.0) / (f64::from(self.tries) + 2.0)
    }

    fn add(&mut self, gained: bool) {
        self.tries += 1;
        self.gains += u32::from(gained);
        // What was long ago counts less.
        if self.tries > 200 {
            (self.tries, self.gains) = (self.tries / 2, self.gains / 2);
        }
    }
}

/// See the module text.
#[derive(Default)]
pub(crate) struct Flips {
    decisions: Vec<Decision>,
    left: Vec<Left>,
    records: BTreeMap<(Site, u32), Record>,
    /// How a flip goes on: by its witness, or by wishes.
    ways: [Record; 2],
    /// All places are as good as each other.
    forgetful: bool,
}

impl Flips {
    /// Nothing is known yet; who is forgetful learns nothing about places, either.
    pub fn new(forgetful: bool) -> Flips {
        Flips { forgetful, ..Flips::default() }
    }

    /// Another path is the best; what it left behind, if that is known.
    pub fn restart(&mut self, trail: Option<Trail>) {
        let Trail { decisions, left } = trail.unwrap_or_default();
        (self.decisions, self.left) = (decisions, left);
    }

    /// The states beside the path.
    pub fn fill(&mut self, trail: Trail) {
        self.restart(Some(trail));
    }

    /// Have all been tried?
    pub fn needs_states(&self) -> bool {
        self.left.is_empty()
    }

    /// The decisions of the path.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The states that wait.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.left.iter().map(|l| &*l.state)
    }

    /// A state, more likely at a place where flips paid off.
    pub fn pick(&mut self, random: &mut Random) -> Option<Left> {
        let rate = |l: &Left| match self.forgetful {
            true => 1.0,
            false => self.records.get(&(l.site, l.arm)).copied().unwrap_or_default().rate(),
        };
        let total: f64 = self.left.iter().map(rate).sum();
        let mut at = random.unit() * total;
        let mut chosen = self.left.len().checked_sub(1)?;
        for (i, l) in self.left.iter().enumerate() {
            at -= rate(l);
            if at <= 0.0 {
                chosen = i;
                break;
            }
        }
        Some(self.left.remove(chosen))
    }

    /// Shall the next flip go on by wishes?
    pub fn by_wishes(&self, random: &mut Random) -> bool {
        let [witness, wishes] = self.ways.map(Record::rate);
        random.unit() * (witness + wishes) < wishes
    }

    /// What came of a flip.
    pub fn learn(&mut self, site: Site, arm: u32, by_wishes: bool, gained: bool) {
        self.records.entry((site, arm)).or_default().add(gained);
        self.ways[usize::from(by_wishes)].add(gained);
    }

    /// The states before decision `at` are beside the new path, too.
    pub fn carry_over(&mut self, trail: &mut Trail, at: usize) {
        let mut left: Vec<Left> = std::mem::take(&mut self.left).into_iter().filter(|l| l.at < at).collect();
        left.append(&mut trail.left);
        trail.left = left;
    }
}
