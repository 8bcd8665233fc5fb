//! `profile.json`: where instructions, forks and the solver's time went, by place and by stack.

use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Version.
    pub format: u32,
    /// Source files.
    pub files: Vec<String>,
    /// Names of functions.
    pub functions: Vec<String>,
    /// Places that took anything.
    pub places: Vec<PlaceSpent>,
    /// Stacks, callers before what they call.
    pub stacks: Vec<StackSpent>,
}

/// A place: function, file (`u32::MAX`: not known), line, instructions (sampled), forks, microseconds of the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceSpent(
    /// Function, as a place in `functions`.
    pub u32,
    /// File, as a place in `files`.
    pub u32,
    /// Line; 0 where it is not known.
    pub u32,
    /// Instructions.
    pub u64,
    /// Forks.
    pub u64,
    /// Microseconds.
    pub u64,
);

/// A function on a stack: the caller's place in `stacks` (its own: none), function, instructions without those of what it called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackSpent(
    /// Caller, as a place in `stacks`.
    pub u32,
    /// Function, as a place in `functions`.
    pub u32,
    /// Instructions.
    pub u64,
);
