//! What weights can be for: a mode, and in it a family of features.

use serde::Serialize;
use std::fmt;

/// Which kind of testing the weights are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Choosing among states.
    Explore,
    /// Choosing among branches of a path.
    Concolic,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Explore => "explore",
            Mode::Concolic => "concolic",
        })
    }
}

/// Which features have the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The papers' 26 features of states.
    States,
    /// The constants of the frontier search.
    Frontier,
    /// The papers' 40 features of branches.
    Branches,
}

impl Family {
    /// All of them. Of a mode's families the first is meant where a file names none: older files name none.
    pub const ALL: [Family; 3] = [Family::States, Family::Frontier, Family::Branches];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Family::States => "states",
            Family::Frontier => "frontier",
            Family::Branches => "branches",
        }
    }

    /// The family with this name.
    pub fn named(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The mode it belongs to.
    pub fn mode(self) -> Mode {
        match self {
            Family::States | Family::Frontier => Mode::Explore,
            Family::Branches => Mode::Concolic,
        }
    }

    /// Is it the one that is meant where a file names none?
    pub fn is_usual(self) -> bool {
        self != Family::Frontier
    }
}

impl fmt::Display for Family {
    /// As messages name it: by its mode alone where that is enough.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_usual() {
            true => write!(f, "mode {}", self.mode()),
            false => write!(f, "family {}", self.name()),
        }
    }
}
