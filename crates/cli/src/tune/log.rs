//! What people and scripts read of a campaign while it runs: `coverage.csv`, the curve, and `vectors.jsonl`, every sampled
//! vector with its result. Both follow from the ledger and are written anew when a campaign goes on.

use super::ledger::Entry;
use anyhow::Context;
use forkwise_tune::{Space, Tuner, Vector};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// See the module text.
pub struct Log {
    curve: (PathBuf, File),
    vectors: (PathBuf, File),
    trials: u64,
}

impl Log {
    /// Begins both files.
    pub fn create(folder: &Path) -> anyhow::Result<Log> {
        let open = |name: &str| -> anyhow::Result<(PathBuf, File)> {
            let path = folder.join(name);
            let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
            Ok((path, file))
        };
        let mut log = Log { curve: open("coverage.csv")?, vectors: open("vectors.jsonl")?, trials: 0 };
        put(&mut log.curve, "seconds,branches,bugs,trials\n")?;
        Ok(log)
    }

    /// A run ended; the tuner knows of it already.
    pub fn add(&mut self, tuner: &Tuner, entry: &Entry) -> anyhow::Result<()> {
        self.trials += 1;
        let data = &tuner.data;
        let line = format!("{:.1},{},{},{}\n", entry.at, data.branches(), data.bugs().len(), self.trials);
        put(&mut self.curve, &line)?;
        let proposal = &entry.run.proposal;
        let line = json!({
            "run": entry.run.number,
            "at": round(entry.at),
            "how": proposal.how.name(),
            "stretch": proposal.stretch,
            "settings": shown(&tuner.space, &proposal.vector),
            "seconds": round(entry.wall),
            "explored_seconds": round(entry.explored),
            "tests": entry.tests,
            "reached": entry.gain.all,
            "new": entry.gain.new,
            "unconfirmed_bugs": entry.unconfirmed,
            "end": entry.end,
        });
        put(&mut self.vectors, &format!("{line}\n"))
    }
}

fn put((path, file): &mut (PathBuf, File), text: &str) -> anyhow::Result<()> {
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// A vector by the names of its parameters: one value, or a list.
pub fn shown(space: &Space, vector: &Vector) -> Value {
    let mut out = Map::new();
    for (i, parameter) in space.parameters.iter().enumerate() {
        let value = match vector.values(i) {
            [] => continue,
            [one] => json!(one),
            several => json!(several),
        };
        out.insert(parameter.name.clone(), value);
    }
    Value::Object(out)
}

/// Seconds with three digits.
pub fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
