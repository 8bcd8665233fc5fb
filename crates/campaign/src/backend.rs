//! Who runs trials. The local pool is one; another may send them to other machines. A backend decides nothing: it takes
//! trials in the order they are submitted, as many at a time as it can, and delivers what came of them in any order.

use crate::outcome::Outcome;
use crate::trial::{RunId, Trial};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// A test that a trial found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFile {
    /// Its text, in the format of forkwise tests.
    pub text: String,
    /// Arms that the trial reached with this test first, rising.
    pub arms: Vec<u32>,
    /// The bug that it shows: a place in the outcome's list.
    pub bug: Option<usize>,
}

/// What a trial leaves: its outcome, and what the campaign shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// What came of it.
    pub outcome: Outcome,
    /// Where the covered arms are, in the order of `outcome.arms`.
    pub places: Vec<String>,
    /// Tests that covered something new in the trial, or show a bug.
    pub tests: Vec<TestFile>,
}

/// A trial that is done.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which.
    pub id: RunId,
    /// What it left.
    pub delivery: Delivery,
}

/// Why trials cannot be run at all.
#[derive(Debug, Error)]
pub enum BackendError {
    /// A file or folder.
    #[error("cannot write {path} for a trial: {source}; free some space, or name another folder", path = .path.display())]
    Files {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A process.
    #[error("cannot start a trial: {0}; is a limit on processes or memory reached?")]
    Start(std::io::Error),
    /// Something else, such as a server.
    #[error("{0}")]
    Other(String),
}

/// See the module text.
pub trait Backend {
    /// How many trials run at the same time.
    fn jobs(&self) -> usize;

    /// Takes a trial; it begins at once if fewer than `jobs` run.
    fn submit(&mut self, trial: &Trial) -> Result<(), BackendError>;

    /// The next trial that is done; `None` after `timeout`.
    fn wait(&mut self, timeout: Duration) -> Result<Option<Report>, BackendError>;

    /// Stops and forgets everything that was submitted. What ran leaves nothing behind.
    fn cancel(&mut self);
}
