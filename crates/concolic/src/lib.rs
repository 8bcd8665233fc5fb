//! Concolic testing: run the program on an input, negate a branch of its path, run the input that follows.
//!
//! [`Concolic`] owns the machine and runs the loop; a [`Heuristic`] chooses the branch. A path is run on the same
//! virtual machine as in execution-generated testing and leaves a snapshot at each symbolic branch, so that a run
//! costs its new part only; where there is no snapshot the path is run again from its beginning, with the same result.
//! This crate never writes files. Read `driver` for the loop, `tree` for what is known, `rerun` for how a path is run
//! again, `heuristic` for who is negated, `stats` for what the features are computed from, `observe` for watching it.

mod driver;
pub mod features;
pub mod heuristic;
mod observe;
mod pure_random;
mod rerun;
mod stats;
mod tree;

pub use driver::{Concolic, Options};
pub use heuristic::{Heuristic, Kind, View};
pub use observe::{Negation, Observer};
pub use pure_random::{MakeState, PureRandom};
pub use stats::Stats;
pub use tree::{Arm, Cursor, Node, NodeId, Status, Step, Tree};
