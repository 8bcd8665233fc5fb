//! KLEE's `run.stats`: a SQLite file with one row of counters per interval. [`store`] writes and reads it,
//! [`columns`] derives what `klee-stats` shows from the counters, [`table`] prints it. Nothing here measures
//! anything, and reading must accept the files of any KLEE since 2.0.

pub mod columns;
pub mod store;
pub mod table;

pub use columns::{Column, Selection};
pub use store::{RunStats, StatsRow, StatsWriter};
pub use table::{Options, TableFormat};

use std::path::{Path, PathBuf};

/// Something about `run.stats` went wrong; the sentence names the file or the option.
#[derive(Debug, thiserror::Error)]
pub enum StatsError {
    /// SQLite cannot read or write the file.
    #[error("{}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file cannot be opened or replaced.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is a database, but not one of statistics.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// No directory with statistics was found.
    #[error("no klee output dir found")]
    NoRuns,
    /// A column that the table does not have.
    #[error("invalid key: {0}")]
    UnknownColumn(String),
}

/// The directories with a `run.stats` among and below `given`, in a stable order. Links are listed, not followed
/// further.
pub fn find_runs(given: &[PathBuf]) -> Result<Vec<PathBuf>, StatsError> {
    let has_stats = |dir: &Path| dir.join("run.stats").is_file();
    let mut runs = Vec::new();
    for start in given {
        if has_stats(start) {
            runs.push(start.clone());
            continue;
        }
        let mut pending = vec![start.clone()];
        while let Some(dir) = pending.pop() {
            let failed = |source| StatsError::File { path: dir.clone(), source };
            let mut below = Vec::new();
            for entry in std::fs::read_dir(&dir).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let path = entry.path();
                if !path.is_dir() {
                    continue;
                }
                if has_stats(&path) {
                    runs.push(path);
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    below.push(path);
                }
            }
            below.sort();
            pending.extend(below.into_iter().rev());
        }
    }
    runs.sort();
    runs.dedup();
    if runs.is_empty() { Err(StatsError::NoRuns) } else { Ok(runs) }
}

/// What `klee-stats [options] DIR…` prints.
pub fn klee_stats(directories: &[PathBuf], options: &Options) -> Result<String, StatsError> {
    let runs: Vec<RunStats> = find_runs(directories)?
        .iter()
        .map(|dir| RunStats::read(&dir.join("run.stats")))
        .collect::<Result<_, _>>()?;
    table::render(&runs, options)
}
