//! What a test is worth: the program with coverage is run on it. One built by `forkwise cc` counts by itself; for one built with
//! `gcc --coverage`, gcov is asked after each run. A test that cannot be read or run reaches nothing.

use super::engine::error_place;
use anyhow::Context;
use forkwise_replay::gcov::{self, Branch, Sources};
use forkwise_replay::{Ending, Limits, Program, Runner, RunnerOptions};
use forkwise_testcase::json;
use forkwise_tune::{Bug, Reached};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A native run that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(1);
/// Signals by which the public tool knows a crash: SIGSEGV and SIGABRT.
const CRASHES: [i32; 2] = [11, 6];

/// See the module text.
pub struct Judge {
    runner: Runner,
    program: Program,
    sources: Sources,
    gcov: Option<PathBuf>,
    /// Branches that gcov named, by the numbers they have here.
    numbers: BTreeMap<Branch, u32>,
    /// Why gcov gave nothing, once.
    pub trouble: Option<String>,
}

impl Judge {
    /// For a program; sources count from so many folders above it.
    pub fn new(program: &Path, depth: usize, gcov: Option<PathBuf>) -> anyhow::Result<Judge> {
        let runner = Runner::new(&RunnerOptions { gcov: true, ..RunnerOptions::default() })
            .context("tests cannot be run natively")?;
        let absolute = std::path::absolute(program)?;
        let top = absolute.ancestors().nth(1 + depth).unwrap_or(Path::new("/"));
        Ok(Judge {
            runner,
            program: Program::new(program)?,
            sources: Sources::new(&[top.display().to_string()]),
            gcov,
            numbers: BTreeMap::new(),
            trouble: None,
        })
    }

    /// Runs a test.
    pub fn judge(&mut self, test: &Path) -> Reached {
        let mut reached = Reached { test: test.display().to_string(), ..Reached::default() };
        let Ok(case) = json::read(test) else { return reached };
        let limits = Limits { wall: LONGEST, ..Limits::default() };
        let Ok(report) = self.runner.run_test(&self.program, &case, &limits) else { return reached };
        if let Ending::Signaled(signal) = report.ending
            && CRASHES.contains(&signal)
        {
            let bug: Option<Bug> = error_place(test);
            reached.bugs.extend(bug);
        }
        match &report.coverage {
            Some(coverage) if coverage.total() > 0 => {
                reached.branches = coverage.iter().map(|b| b as u32).collect();
            }
            _ => reached.branches = self.ask_gcov(),
        }
        reached
    }

    fn ask_gcov(&mut self) -> Vec<u32> {
        let directories = self.runner.gcov_directories();
        let taken = match gcov::take_branches(&directories, &self.sources, self.gcov.as_deref()) {
            Ok(taken) => taken,
            Err(error) => {
                self.trouble.get_or_insert(error.to_string());
                return Vec::new();
            }
        };
        let mut numbers = Vec::new();
        for branch in taken {
            let next = self.numbers.len() as u32;
            numbers.push(*self.numbers.entry(branch).or_insert(next));
        }
        numbers
    }
}
