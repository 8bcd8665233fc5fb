//! What came of a trial: plain data that a store keeps and another machine can send. A trial that crashed counts with what it
//! had covered.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A bug of the program, as campaigns tell bugs apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bug {
    /// The id of its kind.
    pub kind: String,
    /// Function.
    pub function: String,
    /// File.
    pub file: String,
    /// Line; 0 where it is not known.
    pub line: u64,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} at {}:{}", self.kind, self.function, self.file, self.line)
    }
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", content = "reason", rename_all = "kebab-case")]
pub enum End {
    /// By itself; why.
    Finished(String),
    /// It could not begin, and neither could one like it: what it said. Such an outcome is never stored.
    NotBegun(String),
    /// It died.
    Crashed(String),
    /// It did not end by itself and was ended.
    TimedOut(String),
    /// It took more memory than it may.
    OutOfMemory(String),
}

impl End {
    /// What went wrong, if something did.
    pub fn trouble(&self) -> Option<&str> {
        match self {
            End::Finished(_) => None,
            End::NotBegun(why) | End::Crashed(why) | End::TimedOut(why) | End::OutOfMemory(why) => Some(why),
        }
    }

    /// Why it stopped, in one word of machine output.
    pub fn stop_reason(&self) -> &str {
        match self {
            End::Finished(why) => why,
            End::NotBegun(_) => "not-begun",
            End::Crashed(_) => "crash",
            End::TimedOut(_) => "hang",
            End::OutOfMemory(_) => "out-of-memory",
        }
    }
}

/// See the module text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Numbers of the arms that were taken, rising.
    pub arms: Vec<u32>,
    /// Arms there are.
    pub total: u32,
    /// Distinct bugs of the program, sorted.
    pub bugs: Vec<Bug>,
    /// Tests that covered something new in the trial.
    pub tests: u64,
    /// What was counted: `instructions`, `executions`, `paths`, `queries`, …
    pub counters: BTreeMap<String, u64>,
    /// How long it explored, in seconds.
    pub seconds: f64,
    /// How long the process lived, in seconds.
    pub wall: f64,
    /// Processor time of the process and what it started, in seconds.
    pub cpu: f64,
    /// How it ended.
    pub end: End,
}

impl Outcome {
    /// Arms that were taken.
    pub fn covered(&self) -> usize {
        self.arms.len()
    }

    /// One that is counted; 0 where it was not.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }
}
