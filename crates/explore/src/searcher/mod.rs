//! Search heuristics: which live state runs next.
//!
//! A searcher is four functions. It sees states only through a [`View`], must never change one, and must choose in
//! less than linear time; whatever is random comes from the generator it was built with. Batching, slices and
//! interleaving are searchers that wrap searchers. [`Search::build`] is the one place where they are put together.

mod batching;
mod dfs;
mod features;
mod frontier;
mod interleave;
mod parametric;
mod queue;
mod random_path;
mod random_state;
mod ranking;
mod slices;
mod weight_tree;
mod weighted;

mod bfs;

pub use batching::Batching;
pub use bfs::Bfs;
pub use dfs::Dfs;
pub use features::{
    FEATURES, STATE_FEATURES, STATE_STATISTICS, STATISTICS, StateFeature, StateStatistic, statistics,
};
pub use frontier::{FRONTIER_FEATURES, FRONTIER_WEIGHTS, Frontier, FrontierFeature, FrontierWeights};
pub use interleave::Interleave;
pub use parametric::{Parametric, Weights};
pub use random_path::RandomPath;
pub use random_state::RandomState;
pub use ranking::Ranking;
pub use slices::{Slice, Slices};
pub use weighted::{Weight, Weighted};

use crate::distance::Distances;
use crate::forest::{Forest, Slot};
use crate::random::Random;
use forkwise_ir::Program;
use forkwise_vm::{Counts, Coverage};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What a searcher may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The live states.
    pub forest: &'a Forest,
    /// The program.
    pub program: &'a Program,
    /// How far uncovered code is.
    pub distances: &'a Distances,
    /// What has been executed.
    pub coverage: &'a Coverage,
    /// How often it was executed; empty unless the search asked for it ([`Search::uses_counts`]).
    pub counts: &'a Counts,
}

/// Chooses the state to run next.
pub trait Searcher {
    /// The next state. Called only when there is one.
    fn select(&mut self, view: View<'_>) -> Slot;

    /// The state in `current` ran and is still alive, those in `added` are new, those in `removed` are about to go
    /// (they can still be looked at). A slot is never in more than one of them.
    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]);

    /// Is there no state?
    fn is_empty(&self) -> bool;

    /// Its name, as it is written on the command line.
    fn name(&self) -> String;
}

/// A heuristic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Newest state.
    Dfs,
    /// Oldest state.
    Bfs,
    /// Uniform.
    RandomState,
    /// Random walk down the execution tree.
    RandomPath,
    /// One path to its end, then a branch that was not taken yet.
    Frontier,
    /// Weighted random.
    Weighted(Weight),
    /// The highest sum of weights of features. Has no name of its own: the caller reads the weights.
    Parametric(Weights),
    /// The frontier search with learned weights. Has no name of its own, either.
    LearnedFrontier(FrontierWeights),
}

const NAMES: &[(&str, Strategy)] = &[
    ("frontier", Strategy::Frontier),
    ("dfs", Strategy::Dfs),
    ("bfs", Strategy::Bfs),
    ("random-state", Strategy::RandomState),
    ("random-path", Strategy::RandomPath),
    ("nurs:covnew", Strategy::Weighted(Weight::CoveringNew)),
    ("nurs:md2u", Strategy::Weighted(Weight::MinDistance)),
    ("nurs:depth", Strategy::Weighted(Weight::Depth)),
    ("nurs:rp", Strategy::Weighted(Weight::RandomPath)),
    ("nurs:qc", Strategy::Weighted(Weight::QueryCost)),
    ("nurs:icnt", Strategy::Weighted(Weight::InstructionCount)),
    ("nurs:cpicnt", Strategy::Weighted(Weight::CallPathCount)),
];

/// A search that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// No such heuristic.
    #[error("there is no search heuristic '{name}'; there are {}", names())]
    Unknown {
        /// What was asked for.
        name: String,
    },
}

fn names() -> String {
    NAMES.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")
}

impl Strategy {
    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(n, _)| *n)
    }

    fn build(&self, random: &mut Random) -> Box<dyn Searcher> {
        match self {
            Strategy::Dfs => Box::<Dfs>::default(),
            Strategy::Bfs => Box::<Bfs>::default(),
            Strategy::RandomState => Box::new(RandomState::new(random.split())),
            Strategy::RandomPath => Box::new(RandomPath::new(random.split())),
            Strategy::Frontier => Box::new(Frontier::new(random.split())),
            Strategy::Weighted(w) => Box::new(Weighted::new(*w, random.split())),
            Strategy::Parametric(w) => {
                Box::new(Parametric::new(*w.weights, random.split()).named(w.name.clone()))
            }
            Strategy::LearnedFrontier(w) => {
                Box::new(Frontier::learned(w.name.clone(), &w.weights, random.split()))
            }
        }
    }
}

impl FromStr for Strategy {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Strategy, SearchError> {
        NAMES
            .iter()
            .find(|(n, _)| *n == text)
            .map(|(_, s)| s.clone())
            .ok_or_else(|| SearchError::Unknown { name: text.to_string() })
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Parametric(w) => f.write_str(&w.name),
            Strategy::LearnedFrontier(w) => f.write_str(&w.name),
            _ => f.write_str(NAMES.iter().find(|(_, s)| s == self).map_or("?", |(n, _)| n)),
        }
    }
}

/// A whole search: heuristics taken in turn, and batching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Used in turn; empty means the default.
    pub strategies: Vec<Strategy>,
    /// Keep a state for this many instructions, over its forks.
    pub batch_instructions: Option<u64>,
    /// Keep a state for this long, over its forks.
    pub batch_time: Option<Duration>,
    /// Iterative deepening: a path rests when it has used up its slice, until all have; then slices double.
    pub slice: Option<Slice>,
    /// Leave siblings unsolved until they are chosen; `None`: as the heuristics like it.
    pub lazy: Option<bool>,
}

impl Default for Search {
    /// `random-path` and `nurs:covnew` in turn, no batching, no slices.
    fn default() -> Search {
        Search {
            strategies: Search::usual(),
            batch_instructions: None,
            batch_time: None,
            slice: None,
            lazy: None,
        }
    }
}

impl Search {
    /// The heuristics that are used when none is named.
    pub fn usual() -> Vec<Strategy> {
        vec![Strategy::RandomPath, Strategy::Weighted(Weight::CoveringNew)]
    }

    /// Heuristics from names; each text may hold several, separated by commas. None: the usual ones.
    pub fn parse(names: &[String]) -> Result<Search, SearchError> {
        let mut strategies = Vec::new();
        for name in names.iter().flat_map(|n| n.split(',')).map(str::trim).filter(|n| !n.is_empty()) {
            strategies.push(name.parse()?);
        }
        if strategies.is_empty() {
            strategies = Search::usual();
        }
        Ok(Search { strategies, ..Search::default() })
    }

    /// Does any heuristic look at distances to uncovered code?
    pub fn uses_distances(&self) -> bool {
        self.strategies.iter().any(|s| {
            matches!(
                s,
                Strategy::Frontier
                    | Strategy::LearnedFrontier(_)
                    | Strategy::Parametric(_)
                    | Strategy::Weighted(Weight::CoveringNew | Weight::MinDistance)
            )
        })
    }

    /// Does any heuristic look at how often code was executed?
    pub fn uses_counts(&self) -> bool {
        self.strategies.iter().any(|s| {
            matches!(
                s,
                Strategy::Parametric(_)
                    | Strategy::Weighted(Weight::InstructionCount | Weight::CallPathCount)
            )
        })
    }

    /// Does any heuristic look at the registers of states?
    pub fn uses_registers(&self) -> bool {
        self.strategies.iter().any(|s| matches!(s, Strategy::Parametric(_)))
    }

    /// Does the search want branches to stay unsolved until they are chosen?
    pub fn is_lazy(&self) -> bool {
        let likes_it = |s: &Strategy| matches!(s, Strategy::Frontier | Strategy::LearnedFrontier(_));
        self.lazy.unwrap_or_else(|| self.strategies.iter().any(likes_it))
    }

    /// The searcher.
    pub fn build(&self, random: &mut Random) -> Box<dyn Searcher> {
        let usual = Search::usual();
        let strategies = if self.strategies.is_empty() { &usual } else { &self.strategies };
        let mut parts: Vec<Box<dyn Searcher>> = strategies.iter().map(|s| s.build(random)).collect();
        let one = if parts.len() == 1 { parts.remove(0) } else { Box::new(Interleave::new(parts)) };
        let one: Box<dyn Searcher> = match self.batch_instructions.is_some() || self.batch_time.is_some() {
            true => Box::new(Batching::new(one, self.batch_instructions, self.batch_time)),
            false => one,
        };
        match self.slice {
            Some(first) => Box::new(Slices::new(one, first)),
            None => one,
        }
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.strategies.iter().enumerate() {
            write!(f, "{}{s}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use forkwise_vm::{Frame, Memory, State};

    /// A world of states without a program, for tests of searchers.
    pub(crate) struct World {
        pub forest: Forest,
        program: Program,
        distances: Distances,
        coverage: Coverage,
        counts: Counts,
        next: u64,
    }

    impl World {
        pub(crate) fn new() -> World {
            let program = Program::default();
            let distances = Distances::new(&program);
            World {
                forest: Forest::new(),
                program,
                distances,
                coverage: Coverage::default(),
                counts: Counts::default(),
                next: 1,
            }
        }

        pub(crate) fn view(&self) -> View<'_> {
            View {
                forest: &self.forest,
                program: &self.program,
                distances: &self.distances,
                coverage: &self.coverage,
                counts: &self.counts,
            }
        }

        pub(crate) fn state(&mut self) -> Box<State> {
            self.next += 1;
            Box::new(State::new(self.next, Frame::empty(), Memory::new(0, 0)))
        }

        /// Plants the first state and tells the searcher.
        pub(crate) fn root(&mut self, s: &mut dyn Searcher) -> Slot {
            let state = self.state();
            let slot = self.forest.plant(state);
            s.update(self.view(), None, &[slot], &[]);
            slot
        }

        pub(crate) fn fork(&mut self, s: &mut dyn Searcher, of: Slot) -> Slot {
            let mut state = self.state();
            state.depth = self.forest.state(of).depth + 1;
            self.forest.state_mut(of).depth += 1;
            let slot = self.forest.fork(of, state);
            s.update(self.view(), Some(of), &[slot], &[]);
            slot
        }

        pub(crate) fn end(&mut self, s: &mut dyn Searcher, slot: Slot) {
            s.update(self.view(), None, &[], &[slot]);
            self.forest.remove(slot);
        }
    }

    #[test]
    fn names_round_trip() {
        for (name, strategy) in NAMES {
            assert_eq!(name.parse::<Strategy>().as_ref(), Ok(strategy));
            assert_eq!(strategy.to_string(), *name);
        }
        let error = "nurs:nothing".parse::<Strategy>().unwrap_err().to_string();
        assert!(error.contains("nurs:nothing") && error.contains("random-path"), "{error}");
    }

    #[test]
    fn lists_may_be_repeated_or_separated_by_commas() {
        let one = Search::parse(&["dfs,bfs".into()]).unwrap();
        let two = Search::parse(&["dfs".into(), "bfs".into()]).unwrap();
        assert_eq!(one, two);
        assert_eq!(one.to_string(), "dfs,bfs");
        assert_eq!(Search::parse(&[]).unwrap().to_string(), "random-path,nurs:covnew");
    }

    #[test]
    fn every_searcher_finds_every_state_and_ends_empty() {
        let slices = [None, Some(Slice::Instructions(1))];
        for ((name, strategy), slice) in NAMES.iter().flat_map(|n| slices.map(|s| (n, s))) {
            let search = Search {
                strategies: vec![strategy.clone()],
                batch_instructions: Some(10),
                slice,
                ..Search::default()
            };
            let mut s = search.build(&mut Random::new(5));
            let mut world = World::new();
            let mut alive = vec![world.root(&mut *s)];
            for i in 0..200usize {
                let of = alive[i * 7 % alive.len()];
                alive.push(world.fork(&mut *s, of));
                if i % 3 == 0 {
                    let gone = alive.swap_remove(i * 5 % alive.len());
                    world.end(&mut *s, gone);
                }
            }
            while !alive.is_empty() {
                assert!(!s.is_empty(), "{name}");
                let chosen = s.select(world.view());
                let at = alive.iter().position(|x| *x == chosen);
                alive.swap_remove(at.unwrap_or_else(|| panic!("{name} chose a dead state")));
                world.end(&mut *s, chosen);
            }
            assert!(s.is_empty(), "{name}");
        }
    }
}
