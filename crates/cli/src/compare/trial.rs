//! A trial of a comparison: which heuristic it was of, and what came of it.

use forkwise_campaign::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// A trial that was run.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Number of the heuristic.
    pub heuristic: usize,
    /// Its seed.
    pub seed: u64,
    /// Arms that were taken, with their places.
    pub arms: BTreeMap<u32, String>,
    /// Arms there are.
    pub total: u32,
    /// Distinct bugs of the program.
    pub bugs: BTreeSet<String>,
    /// Instructions, as far as known.
    pub instructions: u64,
    /// Executions, in concolic testing.
    pub executions: Option<u64>,
    /// Paths that ended.
    pub paths: u64,
    /// How long it explored.
    pub seconds: f64,
    /// Why it stopped.
    pub stop: String,
    /// What went wrong with it.
    pub trouble: Option<String>,
}

impl Trial {
    /// From what a campaign keeps; `places` are those of all arms.
    pub fn new(heuristic: usize, seed: u64, outcome: &Outcome, places: &BTreeMap<u32, String>) -> Trial {
        let place = |arm: &u32| (*arm, places.get(arm).cloned().unwrap_or_default());
        Trial {
            heuristic,
            seed,
            arms: outcome.arms.iter().map(place).collect(),
            total: outcome.total,
            bugs: outcome.bugs.iter().map(ToString::to_string).collect(),
            instructions: outcome.counter("instructions"),
            executions: outcome.counters.get("executions").copied(),
            paths: outcome.counter("paths"),
            seconds: outcome.seconds,
            stop: outcome.end.stop_reason().to_string(),
            trouble: outcome.end.trouble().map(String::from),
        }
    }
}
