//! What the tests of this crate share: trials, and a pool of a script that stands in for the engine.

use crate::hash::ContentHash;
use crate::local::{Limits, LocalPool, Pool};
use crate::trial::{Budget, ProgramFile, Trial};
use std::path::Path;
use std::time::Duration;

/// A trial that does this (see `tests/engine.sh`).
pub fn trial(what: &str, seed: u64) -> Trial {
    Trial {
        program: ProgramFile { path: "a.c".into(), hash: ContentHash::of(b"a.c") },
        options: vec![format!("--fake={what}")],
        arguments: Vec::new(),
        files: Vec::new(),
        seed,
        budget: Budget::default(),
        label: format!("{what} {seed}"),
    }
}

/// A pool of the script.
pub fn pool(folder: &Path, jobs: usize) -> LocalPool {
    let limits = Limits {
        memory: Some(64 << 20),
        grace: Some(Duration::from_millis(400)),
        unlimited: Some(Duration::from_secs(20)),
    };
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine.sh");
    LocalPool::new(Pool { engine, ..Pool::new(folder, jobs, limits) })
}
