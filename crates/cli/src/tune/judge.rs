//! What tests are worth. A program of `forkwise cc` counts its branches itself, so that its tests are run natively, in memory
//! and many at a time; only tests that were new in their run get here. For sources and bitcode the engine's word counts:
//! each test with the branches it was the first to take.

use anyhow::Context;
use forkwise_campaign::{Delivery, TestFile};
use forkwise_replay::{Ending, Limits, Program, Runner, RunnerOptions, native_bug};
use forkwise_testcase::json;
use forkwise_tune::{Bug, Reached};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What one test reached: branches and bugs.
type Worth = (Vec<u32>, Vec<Bug>);

/// A native run that takes longer is stopped; what it covered by then does not count.
const LONGEST: Duration = Duration::from_secs(1);
/// After so many tests of one run that were stopped, the others get less: what hangs mostly hangs in one way.
const HANGING: usize = 3;
const SHORTER: Duration = Duration::from_millis(200);

/// See the module text.
pub enum Judge {
    /// Runs tests natively.
    Native {
        /// Runs them.
        runner: Box<Runner>,
        /// The program.
        program: Box<Program>,
        /// At the same time.
        threads: usize,
        /// Ends all runs.
        cancel: Arc<AtomicBool>,
    },
    /// Believes the engine.
    Engine,
}

/// The tests of a run, judged.
#[derive(Debug, Default)]
pub struct Judged {
    /// What each reached, and its text.
    pub tests: Vec<(Reached, String)>,
    /// Bugs that the engine predicts and no native run showed.
    pub unconfirmed: Vec<String>,
}

impl Judge {
    /// For a program.
    pub fn new(program: &Path, threads: usize) -> anyhow::Result<Judge> {
        if !crate::input::is_elf(program) {
            return Ok(Judge::Engine);
        }
        let cancel = Arc::<AtomicBool>::default();
        let options = RunnerOptions { cancel: Arc::clone(&cancel), ..RunnerOptions::default() };
        let runner = Box::new(Runner::new(&options).context("tests cannot be run natively")?);
        let program = Box::new(Program::new(program)?);
        Ok(Judge::Native { runner, program, threads: threads.max(1), cancel })
    }

    /// Are its numbers those of native runs?
    pub fn is_native(&self) -> bool {
        matches!(self, Judge::Native { .. })
    }

    /// Ends what runs.
    pub fn cancel(&self) {
        if let Judge::Native { cancel, .. } = self {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Judges what a run left; tests are called `PREFIX-N`.
    pub fn judge(&self, prefix: &str, delivery: &Delivery) -> Judged {
        let files = distinct(&delivery.tests);
        let predicted = |t: &TestFile| t.bug.and_then(|b| delivery.outcome.bugs.get(b));
        let place = |b: &forkwise_campaign::Bug| (b.function.clone(), b.line.min(u64::from(u32::MAX)) as u32);
        let mut out = Judged::default();
        let mut confirmed: Vec<Bug> = Vec::new();
        let results = match self {
            Judge::Engine => files
                .iter()
                .map(|t| Some((t.arms.clone(), predicted(t).map(place).into_iter().collect())))
                .collect(),
            Judge::Native { .. } => self.run_all(&files, &|t| predicted(t).map(place)),
        };
        for (i, (file, result)) in files.iter().zip(results).enumerate() {
            let Some((branches, bugs)) = result else { continue };
            confirmed.extend(bugs.iter().cloned());
            let reached = Reached { test: format!("{prefix}-{i:04}"), branches, bugs };
            out.tests.push((reached, file.text.clone()));
        }
        if self.is_native() {
            let missing = |b: &&forkwise_campaign::Bug| !confirmed.contains(&place(b));
            out.unconfirmed = delivery.outcome.bugs.iter().filter(missing).map(|b| b.to_string()).collect();
        }
        out
    }

    /// Runs all tests; `None`: one could not be run.
    fn run_all(
        &self,
        files: &[TestFile],
        predicted: &(dyn Fn(&TestFile) -> Option<Bug> + Sync),
    ) -> Vec<Option<Worth>> {
        let Judge::Native { runner, program, threads, .. } = self else { return Vec::new() };
        let next = AtomicUsize::new(0);
        let slots: Vec<Mutex<Option<Worth>>> = files.iter().map(|_| Mutex::default()).collect();
        let hung = AtomicUsize::new(0);
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(i) else { break };
                let Ok(test) = json::parse(&file.text) else { continue };
                let wall = if hung.load(Ordering::Relaxed) < HANGING { LONGEST } else { SHORTER };
                let limits = Limits { wall, ..Limits::default() };
                let Ok(report) = runner.run_test(program, &test, &limits) else { continue };
                hung.fetch_add(usize::from(report.ending == Ending::TimedOut), Ordering::Relaxed);
                let bug = native_bug(&report)
                    .map(|native| predicted(file).unwrap_or_else(|| place_of(&native.place, &native.kind)));
                let branches = report.coverage.iter().flat_map(|c| c.iter()).map(|b| b as u32).collect();
                *slots[i].lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((branches, bug.into_iter().collect()));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..(*threads).min(files.len()) {
                scope.spawn(work);
            }
            work();
        });
        slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

/// Each text once; the test of a bug may be there as one that covered something, too.
fn distinct(tests: &[TestFile]) -> Vec<TestFile> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out: Vec<TestFile> = Vec::new();
    for t in tests {
        match places.get(t.text.as_str()) {
            Some(i) => {
                let known = &mut out[*i];
                known.bug = known.bug.or(t.bug);
                known.arms.extend(&t.arms);
                known.arms.sort_unstable();
                known.arms.dedup();
            }
            None => {
                places.insert(&t.text, out.len());
                out.push(t.clone());
            }
        }
    }
    out
}

/// A bug that nobody predicted: `file:line in function` if the run tells, else what ended it.
fn place_of(place: &str, kind: &str) -> Bug {
    let Some((file, function)) = place.split_once(" in ") else { return (kind.to_string(), 0) };
    let line = file.rsplit(':').next().and_then(|l| l.parse().ok()).unwrap_or(0);
    (function.to_string(), line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_comes_twice_is_one() {
        let t = |text: &str, arms: &[u32], bug| TestFile { text: text.into(), arms: arms.to_vec(), bug };
        let got = distinct(&[t("a", &[2], None), t("b", &[], None), t("a", &[1, 2], Some(0))]);
        assert_eq!(got, [t("a", &[1, 2], Some(0)), t("b", &[], None)]);
    }

    #[test]
    fn places_are_read() {
        assert_eq!(place_of("/a/x.c:7 in f", "signal 11"), ("f".into(), 7));
        assert_eq!(place_of("", "signal 11 (SIGSEGV)"), ("signal 11 (SIGSEGV)".into(), 0));
    }
}
