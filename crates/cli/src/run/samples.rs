//! `stats.sqlite`: the run as a time series, one row about every second and one at the end. Written as it goes, so
//! that a run that is killed leaves what it had.

use super::now::Now;
use anyhow::Context;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

/// See the module text.
pub struct Samples {
    path: PathBuf,
    db: Connection,
}

impl Samples {
    /// Creates the file.
    pub fn create(path: &Path) -> anyhow::Result<Samples> {
        let failed = || format!("cannot create {}", path.display());
        let db = Connection::open(path).with_context(failed)?;
        db.execute_batch(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
             CREATE TABLE samples (
               seconds REAL NOT NULL, instructions INTEGER NOT NULL, states INTEGER NOT NULL,
               paths_completed INTEGER NOT NULL, paths_partial INTEGER NOT NULL, tests INTEGER NOT NULL,
               bugs INTEGER NOT NULL, branches_covered INTEGER NOT NULL, branches_total INTEGER NOT NULL,
               lines_covered INTEGER NOT NULL, lines_total INTEGER NOT NULL, edges_covered INTEGER NOT NULL,
               queries INTEGER NOT NULL, sat_calls INTEGER NOT NULL, solver_seconds REAL NOT NULL,
               forks INTEGER NOT NULL, expressions INTEGER NOT NULL, memory_bytes INTEGER NOT NULL);",
        )
        .with_context(failed)?;
        Ok(Samples { path: path.to_path_buf(), db })
    }

    /// Adds a row.
    pub fn add(&mut self, n: &Now) -> anyhow::Result<()> {
        let int = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        self.db
            .prepare_cached(
                "INSERT INTO samples VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)",
            )
            .and_then(|mut s| {
                s.execute(params![
                    n.elapsed.as_secs_f64(),
                    int(n.instructions),
                    n.states as i64,
                    int(n.completed),
                    int(n.partial),
                    int(n.tests),
                    n.bugs as i64,
                    n.branches.0 as i64,
                    n.branches.1 as i64,
                    n.lines.0 as i64,
                    n.lines.1 as i64,
                    n.edges as i64,
                    int(n.queries),
                    int(n.sat_calls),
                    n.solver.as_secs_f64(),
                    int(n.forks),
                    n.expressions as i64,
                    int(n.memory),
                ])
            })
            .map(|_| ())
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}
