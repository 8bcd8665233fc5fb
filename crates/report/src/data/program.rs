//! `program.json`: what there is to cover in the user's code. Written once, when a run begins.

use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramFile {
    /// Version.
    pub format: u32,
    /// The program as the user named it.
    pub name: String,
    /// Source files.
    pub files: Vec<String>,
    /// Functions of the user's code.
    pub functions: Vec<FunctionPlace>,
    /// Lines with code: a file, as a place in `files`, and its lines in order.
    pub lines: Vec<(u32, Vec<u32>)>,
    /// Branches, in the order of their arms' numbers.
    pub branches: Vec<BranchPlace>,
}

/// A function: name, file (as a place in `files`), line; 0 where the line is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionPlace(
    /// Name.
    pub String,
    /// File.
    pub u32,
    /// Line.
    pub u32,
);

/// A branch: the number of its first arm, file, line, column, function (as a place in `functions`), its arms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchPlace(
    /// Number of the first arm, as in `coverage.json`.
    pub u32,
    /// File, as a place in `files`.
    pub u32,
    /// Line; 0 where it is not known.
    pub u32,
    /// Column; 0 where it is not known.
    pub u32,
    /// Function, as a place in `functions`.
    pub u32,
    /// Arms.
    pub Vec<ArmName>,
);

/// An arm: its number within the branch, and when it is taken (`true`, `false`, `default`, or the value of a case).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmName(
    /// Number within the branch.
    pub u32,
    /// When it is taken.
    pub String,
);
