//! What `klee-replay PROGRAM FILE…` does and prints: the native program is run with the arguments, standard input and
//! files that a `.ktest` file of KLEE's POSIX model holds. Scripts look for these lines, so their words must not
//! change.

use forkwise_testcase::TestCase;

use crate::limits::Limits;
use crate::report::{Ending, Report};
use crate::runner::{Job, Program, RunError, Runner};

/// The environment that a test of the POSIX model describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Arguments, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// Standard input, if the test has one.
    pub stdin: Option<Vec<u8>>,
    /// Files in the working directory.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Takes a test's objects in order, as the program would ask for them.
struct Objects<'a> {
    test: &'a TestCase,
    next: usize,
}

impl<'a> Objects<'a> {
    fn take(&mut self, wanted: &str) -> Result<&'a [u8], String> {
        let rest = &self.test.objects[self.next..];
        match rest.iter().position(|object| object.name.starts_with(wanted)) {
            Some(index) => {
                self.next += index + 1;
                Ok(&rest[index].bytes)
            }
            None => Err(format!("ran out of appropriate inputs: the test has no further object {wanted}")),
        }
    }
}

/// Replaces `--sym-arg`, `--sym-args`, `--sym-files` and `--sym-stdin` among the test's arguments by the values that
/// the test holds for them.
pub fn environment(test: &TestCase, program: &str) -> Result<Environment, String> {
    let mut out = Environment { args: vec![program.as_bytes().to_vec()], ..Environment::default() };
    let mut objects = Objects { test, next: 0 };
    let mut words = test.arguments().iter();
    while let Some(word) = words.next() {
        let option = word.strip_prefix(b"--").or_else(|| word.strip_prefix(b"-")).unwrap_or(b"");
        let mut number = |option: &str| -> Result<usize, String> {
            let text = words.next().map(|word| String::from_utf8_lossy(word).into_owned());
            text.and_then(|text| text.parse().ok())
                .ok_or_else(|| format!("--{option} expects an integer argument"))
        };
        match option {
            b"sym-arg" => {
                number("sym-arg")?;
                out.args.push(text_of(objects.take("arg")?));
            }
            b"sym-args" => {
                let (least, most, _) = (number("sym-args")?, number("sym-args")?, number("sym-args")?);
                let count =
                    objects.take("n_args")?.iter().rev().fold(0usize, |n, byte| n << 8 | usize::from(*byte));
                if !(least..=most).contains(&count) {
                    return Err(format!("the test has {count} arguments, not {least} to {most}"));
                }
                for _ in 0..count {
                    out.args.push(text_of(objects.take("arg")?));
                }
            }
            b"sym-files" => {
                let (count, _) = (number("sym-files")?, number("sym-files")?);
                for letter in (b'A'..=b'Z').take(count) {
                    let name = char::from(letter).to_string();
                    let bytes = data(test, &name).ok_or_else(|| format!("the test has no file {name}"))?;
                    out.files.push((name, bytes));
                }
            }
            b"sym-stdin" => {
                number("sym-stdin")?;
                out.stdin = Some(data(test, "stdin").ok_or("the test has no standard input")?);
            }
            b"max-fail" => {
                number("max-fail")?;
            }
            b"sym-stdout" | b"save-all-writes" | b"fd-fail" => {}
            _ => out.args.push(word.clone()),
        }
    }
    Ok(out)
}

/// The contents of a symbolic file under any of the names that KLEE's versions gave it.
fn data(test: &TestCase, name: &str) -> Option<Vec<u8>> {
    [name.to_string(), format!("{name}-data"), format!("{name}_data")]
        .iter()
        .find_map(|name| test.object(name))
        .map(|object| object.bytes.clone())
}

/// A C string in a buffer.
fn text_of(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().take_while(|byte| *byte != 0).collect()
}

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

/// Replays one test the way `klee-replay` does. `program_name` is what the user called the program.
pub fn replay(
    runner: &Runner,
    program: &Program,
    program_name: &str,
    test_file: &str,
    test: &TestCase,
    limits: &Limits,
) -> Result<Replay, ReplayProblem> {
    let environment = environment(test, program_name).map_err(ReplayProblem::Test)?;
    let ktest = forkwise_testcase::KTest::from(test).to_bytes().map_err(RunError::from)?;
    let report = runner.run(&Job {
        args: &environment.args,
        stdin: environment.stdin.as_deref(),
        files: &environment.files,
        ktest: Some(&ktest),
        ..Job::new(program, limits)
    })?;
    Ok(Replay { before: opening(test_file, &environment.args), after: status(&report), report })
}

/// A test could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayProblem {
    /// The test does not describe an environment.
    #[error("KLEE-REPLAY: ERROR: {0}")]
    Test(String),
    /// The program cannot be run.
    #[error("KLEE-REPLAY: ERROR: {0}")]
    Run(#[from] RunError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Captured;
    use forkwise_testcase::Object;
    use std::time::Duration;

    fn test(args: &[&str], objects: &[(&str, &[u8])]) -> TestCase {
        let args = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
        TestCase::new(args, objects.iter().map(|(name, bytes)| Object::new(*name, *bytes)).collect())
    }

    #[test]
    fn the_posix_model_is_undone() {
        let test = test(
            &[
                "p.bc",
                "-sym-arg",
                "3",
                "-v",
                "--sym-args",
                "0",
                "2",
                "2",
                "--sym-files",
                "1",
                "4",
                "--sym-stdin",
                "2",
                "--sym-stdout",
            ],
            &[
                ("arg00", b"ab\0\0"),
                ("n_args", &[1, 0, 0, 0]),
                ("arg01", b"\xffx\0"),
                ("A-data", b"file"),
                ("A-data-stat", &[0; 144]),
                ("stdin", b"in"),
                ("model_version", &[1, 0, 0, 0]),
            ],
        );
        let got = environment(&test, "./p").unwrap();
        assert_eq!(got.args, [&b"./p"[..], b"ab", b"-v", b"\xffx"]);
        assert_eq!(got.files, [("A".to_string(), b"file".to_vec())]);
        assert_eq!(got.stdin.as_deref(), Some(&b"in"[..]));
    }

    #[test]
    fn misfits_are_errors() {
        for (args, objects, part) in [
            (&["p", "--sym-arg"][..], &[][..], "expects an integer"),
            (&["p", "--sym-arg", "x"], &[], "expects an integer"),
            (&["p", "--sym-arg", "1"], &[], "ran out of appropriate inputs"),
            (&["p", "--sym-args", "0", "1", "1"], &[("n_args", &[9, 0, 0, 0][..])], "has 9 arguments"),
            (&["p", "--sym-files", "1", "1"], &[], "no file A"),
            (&["p", "--sym-stdin", "1"], &[], "no standard input"),
        ] {
            let error = environment(&test(args, objects), "p").unwrap_err();
            assert!(error.contains(part), "{args:?}: {error}");
        }
    }

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
