//! `tree.json`: the execution tree, folded to a size that can be drawn.

use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tree {
    /// Version.
    pub format: u32,
    /// Forks that have no node of their own.
    pub folded: u64,
    /// Source files.
    pub files: Vec<String>,
    /// Names of functions.
    pub functions: Vec<String>,
    /// Parents before their children.
    pub nodes: Vec<TreeNode>,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The program exited.
    Exit,
    /// A bug of the program.
    Bug,
    /// Something is not supported.
    Failed,
    /// A limit.
    Unfinished,
    /// No result was wanted.
    Silent,
}

/// What happened on a path between two forks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNode {
    /// The node before the fork that it began with, as a place in `nodes`; none at a beginning.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Place of that fork: function, file (`u32::MAX`: not known), line.
    #[serde(rename = "at")]
    pub place: (u32, u32, u32),
    /// When this side of the fork is taken (`true`, `false`, the value of a case), where that is known.
    #[serde(rename = "arm", default, skip_serializing_if = "String::is_empty")]
    pub arm: String,
    /// Instructions executed.
    #[serde(rename = "i")]
    pub instructions: u64,
    /// Microseconds of the solver.
    #[serde(rename = "s")]
    pub solver_micros: u64,
    /// Forks folded into it.
    #[serde(rename = "f", default, skip_serializing_if = "is_zero")]
    pub forks: u32,
    /// Paths that ended in it.
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    pub paths: u32,
    /// How the last of them ended.
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// The first test of them.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}
