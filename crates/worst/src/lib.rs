//! Worst-case inputs: which input of a given size makes a program cost most?
//!
//! A [`Machine`] runs single paths, chosen branch by branch by a [`Guide`]; a method ([`Method`]) decides which paths are
//! worth running; [`Search`] keeps the best, the budget and the statistics. Nothing here reads or writes files or
//! compiles; whoever calls gives machines for other sizes through [`Sizes`]. Read `machine` for how a path is run,
//! `operators` for the pieces of the evolution, `ese` for the published algorithm, `auto` for ours.

mod auto;
mod climb;
mod cost;
mod dfs;
mod dynamic;
mod ese;
mod fit;
mod flip;
mod genes;
mod guide;
mod machine;
pub mod operators;
mod options;
mod order;
mod path;
mod peers;
mod plot;
mod policy;
mod random;
mod search;
mod train;
mod wise;

pub use cost::{Cost, CostError, NativeCost};
pub use fit::{Class, Fit, fit};
pub use guide::{Choice, Coin, Follow, Guide};
pub use machine::{Concrete, Left, Machine, MakeStates, NoPath, Trail};
pub use options::{Budget, Clock, Method, Options, Part, Stop};
pub use path::{Decision, Path, Site, Values};
pub use peers::{Meeting, Member};
pub use plot::{svg, text as text_plot};
pub use policy::{Key, Policy};
pub use search::{Answer, Best, Moment, Search, SearchError, Sizes, Statistics, find};
