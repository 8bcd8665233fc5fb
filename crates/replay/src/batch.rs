//! Replaying a directory of tests, several at a time, with the results in the tests' order however they finish. One
//! bad test file is that test's result, never the batch's end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use forkwise_testcase::{Outcome, TestFileError, json};

use crate::check::{Check, check};
use crate::crash::{NativeBug, native_bug};
use crate::limits::Limits;
use crate::program::Program;
use crate::report::Report;
use crate::runner::{RunError, Runner};

/// How a batch runs.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// Runs at a time; 0 for one per processor.
    pub jobs: usize,
    /// What each run may use.
    pub limits: Limits,
}

/// A test could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Its file is bad.
    #[error(transparent)]
    Test(#[from] TestFileError),
    /// The program cannot be run on it.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A test's result.
#[derive(Debug)]
pub struct Replayed {
    /// The test's file.
    pub path: PathBuf,
    /// What the test predicts.
    pub predicted: Option<Outcome>,
    /// The bug that the run shows, predicted or not.
    pub bug: Option<NativeBug>,
    /// The run and the comparison with what was predicted.
    pub result: Result<(Report, Check), ReplayError>,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Tests replayed.
    pub done: usize,
    /// Tests in all.
    pub total: usize,
}

/// The test files in a directory, sorted by name: `*.test.json` and `*.ktest`. A file stands for itself.
pub fn list_tests(path: &Path) -> Result<Vec<PathBuf>, TestFileError> {
    let fail = |error: std::io::Error| TestFileError { path: path.to_path_buf(), problem: error.to_string() };
    if !std::fs::metadata(path).map_err(fail)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(path).map_err(fail)? {
        let file = entry.map_err(fail)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A name that begins with a dot is a file that is just being written.
        if !name.starts_with('.') && (name.ends_with(".test.json") || name.ends_with(".ktest")) {
            tests.push(file);
        }
    }
    tests.sort();
    Ok(tests)
}

/// Replays all tests of a directory. `on_test` is called from several threads as each test is done.
pub fn replay_dir(
    runner: &Runner,
    program: &Program,
    directory: &Path,
    options: &BatchOptions,
    on_test: &(dyn Fn(&Replayed, Progress) + Sync),
) -> Result<Vec<Replayed>, TestFileError> {
    Ok(replay_files(runner, program, list_tests(directory)?, options, on_test))
}

/// Replays these tests.
pub fn replay_files(
    runner: &Runner,
    program: &Program,
    files: Vec<PathBuf>,
    options: &BatchOptions,
    on_test: &(dyn Fn(&Replayed, Progress) + Sync),
) -> Vec<Replayed> {
    let total = files.len();
    let jobs = match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let slots: Vec<Mutex<Option<Replayed>>> = files.iter().map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        let work = || {
            while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < total)
            {
                let mut replayed = replay(runner, program, &files[index], &options.limits);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                on_test(&replayed, Progress { done, total });
                if let Ok((report, Check::Same)) = &mut replayed.result {
                    // As predicted, so the test has it; thousands of outputs need not stay in memory.
                    report.stdout.bytes = Vec::new();
                    report.stderr.bytes = Vec::new();
                }
                *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(replayed);
            }
        };
        for _ in 1..jobs.min(total) {
            scope.spawn(work);
        }
        work();
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn replay(runner: &Runner, program: &Program, file: &Path, limits: &Limits) -> Replayed {
    let path = file.to_path_buf();
    let test = match json::read(file) {
        Ok(test) => test,
        Err(error) => return Replayed { path, predicted: None, bug: None, result: Err(error.into()) },
    };
    let result = runner.run_test(program, &test, limits);
    let bug = result.as_ref().ok().and_then(native_bug);
    let result = result.map_err(ReplayError::from).map(|report| {
        let check = check(&test, &report);
        (report, check)
    });
    Replayed { path, predicted: test.outcome, bug, result }
}

impl Replayed {
    /// Whether the run shows a bug on a path that the engine did not follow to its end.
    pub fn is_new_bug(&self) -> bool {
        self.bug.is_some() && matches!(self.predicted, None | Some(Outcome::Unfinished(_)))
    }
}
