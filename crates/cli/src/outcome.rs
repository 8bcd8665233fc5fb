//! From the end of a path to a test: its inputs, and what a native run is predicted to do. Used by `run` and `klee`.

use crate::kinds;
use forkwise_explore::{PathEnd, Place, Trouble};
use forkwise_posix::Setup;
use forkwise_testcase::{Object, Outcome, TestCase, TestFile};
use forkwise_vm::{Limit, Termination, Vm};

/// Why a path is unfinished, in words.
pub fn limit_text(limit: &Limit) -> String {
    match limit {
        Limit::Depth => "the depth limit was reached".into(),
        Limit::Forks => "the fork limit was reached".into(),
        Limit::Instructions => "the exploration ended first".into(),
        Limit::Time => "the exploration was ended first".into(),
        Limit::Memory => "the state was dropped at the memory limit".into(),
        Limit::Values(why) => why.clone(),
        Limit::Solver(why) => format!("the solver gave no answer: {why}"),
    }
}

/// A place as test files write it.
pub fn place(place: &Place) -> forkwise_testcase::Place {
    forkwise_testcase::Place { file: place.file.clone(), line: place.line, function: place.function.clone() }
}

/// The test of a path; `None` when the path has none to give. It holds what the native program is started with.
pub fn test_case(vm: &mut Vm, end: &PathEnd<'_>, setup: &Setup) -> Option<TestCase> {
    let bug = |trouble| {
        let seen = end.sighting.as_ref()?;
        Some(Outcome::Bug { kind: kinds::of_trouble(trouble), place: place(&seen.key.place) })
    };
    let mut outcome = match end.termination {
        Termination::Silent => return None,
        Termination::Exit(status) => Outcome::Exit(*status),
        Termination::Signal(signal) => Outcome::Signal(*signal),
        Termination::Limit(limit) => Outcome::Unfinished(limit_text(limit)),
        other => bug(Trouble::of(other)?)?,
    };
    let objects = vm.input_bytes(end.state).into_iter().map(|(name, bytes)| Object { name, bytes }).collect();
    let native = forkwise_posix::test_environment(vm, end.state, setup);
    if matches!(outcome, Outcome::Exit(_) | Outcome::Signal(_))
        && let Some(n) = forkwise_posix::read_beyond_argument(vm, end.state, setup, &native)
    {
        outcome = Outcome::Unfinished(format!(
            "the program reads beyond the end of argument {n}, where a native run finds something else"
        ));
    }
    let mut test = TestCase::new(native.args, objects);
    test.env = native.env;
    test.stdin = native.stdin;
    test.files = native.files.into_iter().map(|(name, bytes)| TestFile { name, bytes }).collect();
    if matches!(outcome, Outcome::Exit(_) | Outcome::Signal(_)) {
        // Only what a program wrote that ended itself can be compared: where it crashes, anything can happen first.
        test.stdout = Some(vm.output_bytes(end.state, 1));
        test.stderr = Some(vm.output_bytes(end.state, 2));
    }
    test.outcome = Some(outcome);
    test.path = Some(end.number);
    test.instructions = Some(end.state.instructions.saturating_sub(end.state.main_at));
    test.covered_new = end.state.covered_new;
    Some(test)
}
