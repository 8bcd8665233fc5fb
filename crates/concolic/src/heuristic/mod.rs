//! Which branch is negated next.
//!
//! A heuristic sees the last path, the execution tree and the statistics through a [`View`], and names an arm of the tree that
//! nobody has tried. Where that turns out to be infeasible it is asked again. It must never solve or run anything, and
//! what is random in it comes from the generator it was built with.

mod cfds;
mod cgs;
mod dfs;
mod generational;
mod parametric;
mod random_branch;

pub use parametric::Parametric;

use crate::stats::Stats;
use crate::tree::{Step, Tree};
use forkwise_explore::Random;
use forkwise_ir::Program;
use forkwise_vm::Coverage;
use std::fmt;
use std::str::FromStr;

/// What a heuristic may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The program.
    pub program: &'a Program,
    /// All decisions so far.
    pub tree: &'a Tree,
    /// The last path.
    pub path: &'a [Step],
    /// What has been executed.
    pub coverage: &'a Coverage,
    /// What happened to branches so far.
    pub stats: &'a Stats,
}

impl<'a> View<'a> {
    /// Arms beside the last path that can be tried: the position of the decision on the path, and the arm.
    pub fn candidates(self) -> impl DoubleEndedIterator<Item = (usize, Step)> + use<'a> {
        let (path, tree) = (self.path, self.tree);
        path.iter()
            .enumerate()
            .flat_map(move |(i, step)| tree.alternatives(*step).map(move |other| (i, other)))
    }
}

/// Chooses the branch to negate.
pub trait Heuristic {
    /// An arm that nobody has tried; `None`: begin again with another input.
    fn choose(&mut self, view: View<'_>) -> Option<Step>;

    /// Does it choose from the last path only? Then states beside earlier paths are not kept: they would hardly ever be
    /// asked for, and memory that is used again is much cheaper than new memory. It never changes what is run.
    fn last_path_only(&self) -> bool {
        false
    }

    /// A run has ended; its path is the view's.
    fn ran(&mut self, view: View<'_>) {
        let _ = view;
    }
}

/// A heuristic by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Random inputs, no path information.
    PureRandom,
    /// Uniform branch of the last path.
    RandomBranch,
    /// Deepest branch of the last path.
    Dfs,
    /// The branch whose other side is nearest to uncovered code.
    Cfds,
    /// Breadth first, each context once.
    Cgs,
    /// All branches of the best path.
    Generational,
}

const NAMES: &[(&str, Kind)] = &[
    ("pure-random", Kind::PureRandom),
    ("random-branch", Kind::RandomBranch),
    ("dfs", Kind::Dfs),
    ("cfds", Kind::Cfds),
    ("cgs", Kind::Cgs),
    ("gen", Kind::Generational),
];

/// No such heuristic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no heuristic '{name}' for concolic testing; there are {}", Kind::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownKind {
    name: String,
}

impl Kind {
    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(n, _)| *n)
    }

    /// The heuristic. Pure random testing is none: see [`crate::PureRandom`].
    pub fn build(self, program: &Program, random: &mut Random) -> Box<dyn Heuristic> {
        match self {
            Kind::PureRandom | Kind::RandomBranch => {
                Box::new(random_branch::RandomBranch::new(random.split()))
            }
            Kind::Dfs => Box::new(dfs::Dfs),
            Kind::Cfds => Box::new(cfds::Cfds::new(program)),
            Kind::Cgs => Box::<cgs::Cgs>::default(),
            Kind::Generational => Box::<generational::Generational>::default(),
        }
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Kind, UnknownKind> {
        let found = NAMES.iter().find(|(n, _)| *n == text);
        found.map(|(_, k)| *k).ok_or_else(|| UnknownKind { name: text.to_string() })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|(_, k)| k == self).map_or("?", |(n, _)| n))
    }
}
