//! Execution-generated testing: which state runs next, and when to stop.
//!
//! [`Explorer`] owns the machine and its live states and runs the loop: a [`Searcher`] selects, the machine runs,
//! ended paths go to the caller's [`Sink`]. One seed decides everything random. This crate never writes files and
//! never looks inside an instruction. Read `explorer` for the loop, `searcher` for the heuristics, `forest` for the
//! states and the execution tree, `distance` for how far uncovered code is.

mod bugs;
mod catch;
mod distance;
mod explorer;
mod forest;
mod ledger;
mod limits;
mod memory;
mod observe;
mod random;
mod record;
pub mod searcher;
mod tree;

pub use bugs::{BugKey, Bugs, Place, Sighting, Trouble};
pub use catch::catching;
pub use distance::{Distances, UNREACHABLE};
pub use explorer::{Explorer, MakeOs};
pub use forest::{Forest, Slot};
pub use ledger::{Ledger, PathClass, PathEnd, Progress, Sink, SinkError, Summary};
pub use limits::{Counters, LeftOut, Limits, StopReason};
pub use memory::{release_freed_memory, resident_bytes};
pub use observe::{Observer, Selection};
pub use random::Random;
pub use record::{NONE, Record, RecordNode};
pub use searcher::{
    FEATURES, FRONTIER_FEATURES, FRONTIER_WEIGHTS, FrontierFeature, FrontierWeights, STATE_FEATURES,
    STATE_STATISTICS, STATISTICS, Search, SearchError, Searcher, Slice, StateFeature, StateStatistic,
    Strategy, View, Weights,
};
