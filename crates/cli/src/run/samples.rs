//! `stats.sqlite`: the run as a time series, one row about every second and one at the end. Written as it goes, so
//! that a run that is killed leaves what it had.

use anyhow::Context;
use forkwise_explore::{Progress, resident_bytes};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(1);

/// See the module text.
pub struct Samples {
    path: PathBuf,
    db: Connection,
    next: Duration,
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
        Ok(Samples { path: path.to_path_buf(), db, next: Duration::ZERO })
    }

    /// Adds a row if it is time for one.
    pub fn tick(&mut self, p: &Progress<'_>) -> anyhow::Result<()> {
        if p.elapsed < self.next {
            return Ok(());
        }
        self.next = p.elapsed + PERIOD;
        self.add(p)
    }

    /// Adds a row.
    pub fn add(&mut self, p: &Progress<'_>) -> anyhow::Result<()> {
        let (branches, branches_total) = p.vm.coverage.branches(&p.vm.program);
        let (lines, lines_total) = p.vm.coverage.lines(&p.vm.program);
        let solver = p.vm.solver.stats();
        let int = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        self.db
            .prepare_cached(
                "INSERT INTO samples VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)",
            )
            .and_then(|mut s| {
                s.execute(params![
                    p.elapsed.as_secs_f64(),
                    int(p.counters.instructions),
                    p.states as i64,
                    int(p.counters.completed()),
                    int(p.counters.partial()),
                    int(p.counters.tests),
                    p.bugs as i64,
                    branches as i64,
                    branches_total as i64,
                    lines as i64,
                    lines_total as i64,
                    p.vm.coverage.log.len() as i64,
                    int(solver.queries),
                    int(solver.sat_calls),
                    solver.nanos as f64 / 1e9,
                    int(p.vm.fork_count),
                    p.vm.exprs.live() as i64,
                    int(resident_bytes()),
                ])
            })
            .map(|_| ())
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}
