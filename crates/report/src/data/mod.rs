//! The files of a run folder that reports are made from, as types. A run writes them through these types and reports read
//! them; each has a version, may be added to, and is never trusted when it is read.

mod arms;
mod program;
mod spent;
mod tree;

pub use arms::{Arms, Branch};
pub use program::{ArmName, BranchPlace, FunctionPlace, ProgramFile};
pub use spent::{PlaceSpent, Spent, StackSpent};
pub use tree::{End, Tree, TreeNode};
