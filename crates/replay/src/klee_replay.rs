//! What `klee-replay PROGRAM FILE…` does and prints: the native program is run with the arguments, standard input and
//! files that a `.ktest` file of KLEE's POSIX model holds. Scripts look for these lines, so their words must not
//! change.

use forkwise_testcase::{TestCase, TestFileError};

use crate::limits::Limits;
use crate::program::Program;
use crate::report::{Ending, Report};
use crate::runner::{RunError, Runner};

/// The lines before a run.
pub fn opening(test_file: &str, args: &[Vec<u8>]) -> String {
    let quoted: String = args.iter().map(|arg| format!("\"{}\" ", String::from_utf8_lossy(arg))).collect();
    format!("KLEE-REPLAY: NOTE: Test file: {test_file}\nKLEE-REPLAY: NOTE: Arguments: {quoted}\n")
}

/// The line after a run.
pub fn status(report: &Report) -> String {
    let seconds = report.duration.as_secs();
    let what = match report.ending {
        Ending::Exited(0) => "NORMAL".to_string(),
        Ending::Exited(code) => format!("ABNORMAL {code}"),
        Ending::Signaled(signal) => format!("CRASHED signal {signal}"),
        Ending::TooManyProcesses => format!("CRASHED signal {}", libc::SIGKILL),
        Ending::TimedOut => "TIMED OUT".to_string(),
    };
    format!("KLEE-REPLAY: NOTE: EXIT STATUS: {what} ({seconds} seconds)\n")
}

/// One replay: the lines before it, the run, the lines after it.
#[derive(Debug)]
pub struct Replay {
    /// What comes before the program's own output on standard error.
    pub before: String,
    /// The run, with the output to pass on.
    pub report: Report,
    /// What comes after it.
    pub after: String,
}

/// Replays one test, as [`forkwise_testcase::json::read`] gives it, the way `klee-replay` does. `program_name` is
/// what the user called the program.
pub fn replay(
    runner: &Runner,
    program: &Program,
    program_name: &str,
    test_file: &str,
    test: &TestCase,
    limits: &Limits,
) -> Result<Replay, ReplayProblem> {
    let mut test = test.clone();
    match test.args.first_mut() {
        Some(name) => *name = program_name.into(),
        None => test.args.push(program_name.into()),
    }
    let report = runner.run_test(program, &test, limits)?;
    Ok(Replay { before: opening(test_file, &test.args), after: status(&report), report })
}

/// A test could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayProblem {
    /// The test's file is bad, or does not describe an environment.
    #[error("KLEE-REPLAY: ERROR: {0}")]
    Test(#[from] TestFileError),
    /// The program cannot be run.
    #[error("KLEE-REPLAY: ERROR: {0}")]
    Run(#[from] RunError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Captured;
    use std::time::Duration;

    #[test]
    fn the_lines_are_klees() {
        let args = [b"./p".to_vec(), b"hello".to_vec()];
        assert_eq!(
            opening("klee-last/test000006.ktest", &args),
            "KLEE-REPLAY: NOTE: Test file: klee-last/test000006.ktest\nKLEE-REPLAY: NOTE: Arguments: \"./p\" \"hello\" \n"
        );
        let line = |ending, seconds| {
            status(&Report {
                ending,
                stdout: Captured::default(),
                stderr: Captured::default(),
                duration: Duration::from_secs_f64(seconds),
                cpu: Duration::ZERO,
                peak_rss: None,
                coverage: None,
            })
        };
        assert_eq!(line(Ending::Exited(0), 0.4), "KLEE-REPLAY: NOTE: EXIT STATUS: NORMAL (0 seconds)\n");
        assert_eq!(
            line(Ending::Exited(101), 1.2),
            "KLEE-REPLAY: NOTE: EXIT STATUS: ABNORMAL 101 (1 seconds)\n"
        );
        assert_eq!(
            line(Ending::Signaled(11), 0.0),
            "KLEE-REPLAY: NOTE: EXIT STATUS: CRASHED signal 11 (0 seconds)\n"
        );
        assert_eq!(line(Ending::TimedOut, 10.0), "KLEE-REPLAY: NOTE: EXIT STATUS: TIMED OUT (10 seconds)\n");
    }
}
