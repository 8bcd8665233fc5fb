//! Comparing what a native run did with what the engine predicted: exit status and output. A difference is the
//! engine's mistake (or the harness's) and is shown so that it can be found; where nothing was predicted, or a plain
//! build may do anything, the answer says that instead of guessing.

use forkwise_testcase::escape::escape;
use forkwise_testcase::{BugKind, Outcome, TestCase};

use crate::confirm::{Expected, Verdict, judge};
use crate::report::{Captured, Ending, Report};

/// One thing that is not as predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What: `outcome`, `stdout` or `stderr`.
    pub what: &'static str,
    /// As predicted.
    pub expected: String,
    /// As it was.
    pub observed: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: expected {}, observed {}", self.what, self.expected, self.observed)
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// All that was predicted came true.
    Same,
    /// Something did not.
    Diverged(Vec<Difference>),
    /// There is nothing to compare with; why.
    NotComparable(String),
}

/// Compares a run with the test's prediction.
pub fn check(test: &TestCase, report: &Report) -> Check {
    let mut differences = Vec::new();
    match &test.outcome {
        None if test.stdout.is_none() && test.stderr.is_none() => {
            return Check::NotComparable("the test predicts nothing".into());
        }
        None => {}
        Some(Outcome::Unfinished(reason)) => {
            return Check::NotComparable(format!("the path was not finished: {reason}"));
        }
        Some(Outcome::Bug { kind, place }) => {
            let expected = Expected { kind: *kind, stack: vec![place.clone()] };
            return match judge(&expected, report) {
                Verdict::Confirmed { .. } => Check::Same,
                // These ends do not depend on memory layout or on what a compiler makes of undefined behaviour.
                Verdict::NotConfirmed { observed }
                    if matches!(kind, BugKind::AssertionFailure | BugKind::Abort | BugKind::UserError) =>
                {
                    Check::Diverged(vec![Difference {
                        what: "outcome",
                        expected: format!("{} at {place}", kind.title().to_lowercase()),
                        observed,
                    }])
                }
                Verdict::NotConfirmed { observed } => Check::NotComparable(format!(
                    "{} may do anything in a plain build: {observed}",
                    kind.title()
                )),
                Verdict::NotConfirmable => Check::NotComparable(format!("{kind} has no native counterpart")),
            };
        }
        Some(Outcome::Exit(code)) => {
            // A process can only tell the lowest byte.
            let expected = Ending::Exited(code & 0xff);
            if report.ending != expected {
                differences.push(outcome(expected, report.ending));
            }
        }
        Some(Outcome::Signal(signal)) => {
            let expected = Ending::Signaled(*signal);
            if report.ending != expected {
                differences.push(outcome(expected, report.ending));
            }
        }
    }
    let outputs = [("stdout", &test.stdout, &report.stdout), ("stderr", &test.stderr, &report.stderr)];
    for (what, predicted, observed) in outputs {
        if let Some(predicted) = predicted {
            differences.extend(output(what, predicted, observed));
        }
    }
    if differences.is_empty() { Check::Same } else { Check::Diverged(differences) }
}

fn outcome(expected: Ending, observed: Ending) -> Difference {
    Difference { what: "outcome", expected: expected.to_string(), observed: observed.to_string() }
}

/// How many bytes before and after the first difference are shown.
const BEFORE: usize = 20;
const AFTER: usize = 40;

fn output(what: &'static str, predicted: &[u8], observed: &Captured) -> Option<Difference> {
    let kept = observed.bytes.len();
    // Of a long output only the beginning was kept; the length still tells.
    let same = if observed.is_truncated() {
        predicted.len() as u64 == observed.total && predicted.starts_with(&observed.bytes)
    } else {
        predicted == observed.bytes
    };
    if same {
        return None;
    }
    let at = predicted.iter().zip(&observed.bytes).take_while(|(a, b)| a == b).count();
    let show = |bytes: &[u8], total: u64| {
        let shown = &bytes[at.saturating_sub(BEFORE).min(bytes.len())..(at + AFTER).min(bytes.len())];
        let dots = |yes: bool| if yes { "…" } else { "" };
        format!(
            "\"{}{}{}\" ({total} bytes)",
            dots(at > BEFORE),
            escape(shown).replace('\n', "\\n"),
            dots(at + AFTER < bytes.len())
        )
    };
    let note = if observed.is_truncated() && at == kept { " after the part that was kept" } else { "" };
    Some(Difference {
        what,
        expected: show(predicted, predicted.len() as u64),
        observed: format!("{} from byte {at}{note}", show(&observed.bytes, observed.total)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_testcase::Place;
    use std::time::Duration;

    fn report(ending: Ending, stdout: &str) -> Report {
        Report {
            ending,
            stdout: Captured { bytes: stdout.into(), total: stdout.len() as u64 },
            stderr: Captured::default(),
            duration: Duration::ZERO,
            cpu: Duration::ZERO,
            peak_rss: None,
            coverage: None,
        }
    }

    fn predicted(outcome: Outcome, stdout: Option<&str>) -> TestCase {
        TestCase { outcome: Some(outcome), stdout: stdout.map(Into::into), ..Default::default() }
    }

    #[test]
    fn exit_codes_are_bytes() {
        let run = report(Ending::Exited(255), "");
        assert_eq!(check(&predicted(Outcome::Exit(-1), Some("")), &run), Check::Same);
        let Check::Diverged(differences) = check(&predicted(Outcome::Exit(0), None), &run) else { panic!() };
        assert_eq!(differences[0].to_string(), "outcome: expected exit status 0, observed exit status 255");
        assert_eq!(
            check(&predicted(Outcome::Signal(15), None), &report(Ending::Signaled(15), "")),
            Check::Same
        );
        assert!(matches!(check(&predicted(Outcome::Signal(15), None), &run), Check::Diverged(_)));
    }

    #[test]
    fn output_differences_are_shown_where_they_begin() {
        let test = predicted(Outcome::Exit(0), Some("line one\nline two\n"));
        let Check::Diverged(differences) = check(&test, &report(Ending::Exited(0), "line one\nline 2\n"))
        else {
            panic!()
        };
        assert_eq!(
            differences[0].to_string(),
            r#"stdout: expected "line one\nline two\n" (18 bytes), observed "line one\nline 2\n" (16 bytes) from byte 14"#
        );
        assert!(matches!(check(&test, &report(Ending::Exited(0), "")), Check::Diverged(_)));
    }

    #[test]
    fn truncated_output_is_compared_as_far_as_it_was_kept() {
        let mut run = report(Ending::Exited(0), "abc");
        run.stdout.total = 6;
        assert_eq!(check(&predicted(Outcome::Exit(0), Some("abcdef")), &run), Check::Same);
        assert!(matches!(check(&predicted(Outcome::Exit(0), Some("abcde")), &run), Check::Diverged(_)));
        assert!(matches!(check(&predicted(Outcome::Exit(0), Some("abXdef")), &run), Check::Diverged(_)));
    }

    #[test]
    fn bugs_and_unfinished_paths() {
        let bug = |kind| predicted(Outcome::Bug { kind, place: Place::default() }, None);
        assert_eq!(check(&bug(BugKind::Abort), &report(Ending::Signaled(6), "")), Check::Same);
        assert!(matches!(check(&bug(BugKind::Abort), &report(Ending::Exited(0), "")), Check::Diverged(_)));
        assert!(matches!(
            check(&bug(BugKind::UseAfterFree), &report(Ending::Exited(0), "")),
            Check::NotComparable(_)
        ));
        let unfinished = predicted(Outcome::Unfinished("time".into()), None);
        assert!(matches!(check(&unfinished, &report(Ending::Exited(0), "")), Check::NotComparable(_)));
        assert!(matches!(
            check(&TestCase::default(), &report(Ending::Exited(0), "")),
            Check::NotComparable(_)
        ));
    }
}
