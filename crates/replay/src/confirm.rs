//! Deciding whether a native run shows the bug that the engine predicts: the same kind, at the same place as far as
//! the run tells one. A run that goes wrong in another way confirms nothing, and is described instead. The kinds and
//! their signs are the table in [`forkwise_testcase::kinds`].

use std::ffi::OsString;

use forkwise_testcase::kinds::NativeSigns;
use forkwise_testcase::{BugKind, Place, TestCase};

use crate::limits::Limits;
use crate::program::Program;
use crate::report::{Ending, Report};
use crate::runner::{RunError, Runner, address_sanitizer_options};
use crate::sanitizer::{Finding, Tool, findings};

/// What the engine predicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The kind of bug.
    pub kind: BugKind,
    /// Where, innermost first; one place is enough, more help when the innermost is inside of the C library.
    pub stack: Vec<Place>,
}

/// What a native run says about a predicted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It happens natively.
    Confirmed {
        /// What was seen.
        how: String,
    },
    /// Something else happens.
    NotConfirmed {
        /// What was seen.
        observed: String,
    },
    /// No native run can show this kind.
    NotConfirmable,
}

impl Verdict {
    /// Whether the bug happens natively.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Verdict::Confirmed { .. })
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Confirmed { how } => write!(f, "confirmed: {how}"),
            Verdict::NotConfirmed { observed } => write!(f, "not confirmed: {observed}"),
            Verdict::NotConfirmable => f.write_str("cannot be confirmed natively"),
        }
    }
}

/// Runs the program, best one built with AddressSanitizer and UBSan, on the test and judges the run.
pub fn confirm(
    runner: &Runner,
    program: &Program,
    test: &TestCase,
    expected: &Expected,
    limits: &Limits,
) -> Result<(Verdict, Report), RunError> {
    let mut env: Vec<(OsString, OsString)> = Vec::new();
    if program.is_sanitized() {
        // Leaks are searched for only when one is expected: it takes time, and hides the exit status of others.
        let leaks = expected.kind == BugKind::Leak;
        env.push(("ASAN_OPTIONS".into(), address_sanitizer_options(leaks).into()));
    }
    let report = runner.run_test_with(program, test, &env, limits)?;
    Ok((judge(expected, &report), report))
}

/// Judges a run.
pub fn judge(expected: &Expected, report: &Report) -> Verdict {
    if !expected.kind.is_confirmable() {
        return Verdict::NotConfirmable;
    }
    let signs = expected.kind.native_signs();
    let text = report.stderr.text();
    let found = findings(&text);

    let mut elsewhere = None;
    for finding in found.iter().filter(|finding| is_sign(expected.kind, &signs, finding)) {
        // After a jump to where there is no code, the caller cannot be told from the stack.
        let wild_jump = finding.kind == "SEGV"
            && ["Hint: PC is at a non-executable region", "Hint: pc points to the zero page"]
                .iter()
                .any(|hint| text.contains(hint));
        if wild_jump || is_same_place(expected, &finding.stack) {
            return Verdict::Confirmed { how: finding.to_string() };
        }
        elsewhere = elsewhere.or(Some(finding));
    }
    if let Some(finding) = elsewhere {
        let wanted = expected.stack.first().cloned().unwrap_or_default();
        return Verdict::NotConfirmed { observed: format!("{finding}, expected at {wanted}") };
    }
    if let Some(sign) = signs.texts.iter().find(|sign| text.contains(**sign)) {
        return Verdict::Confirmed { how: format!("the program printed \"{}\"", sign.trim()) };
    }
    match report.ending {
        Ending::Signaled(signal) if signs.signals.contains(&signal) => {
            Verdict::Confirmed { how: report.ending.to_string() }
        }
        Ending::TimedOut if signs.timeout => {
            Verdict::Confirmed { how: format!("still running after {:.1} s", report.duration.as_secs_f64()) }
        }
        _ => Verdict::NotConfirmed { observed: describe(report, &found) },
    }
}

fn is_sign(kind: BugKind, signs: &NativeSigns, finding: &Finding) -> bool {
    match finding.tool {
        Tool::Memory => signs.sanitizer.contains(&finding.kind.as_str()),
        Tool::Undefined => signs.ubsan.contains(&finding.kind.as_str()),
        Tool::Assertion => kind == BugKind::AssertionFailure,
    }
}

/// What happened, in a few words.
fn describe(report: &Report, found: &[Finding]) -> String {
    let mut text = report.ending.to_string();
    if let Some(finding) = found.first() {
        text = format!("{text}, {finding}");
    } else if let Some(line) = report.stderr.text().lines().find(|line| line.contains("KLEE_RUN_TEST_ERROR"))
    {
        text = format!("{text}, the test does not fit the program: {line}");
    }
    text
}

/// Whether a reported stack is at a predicted place. Lines of one statement differ between compilers, so the function
/// is enough; and a bug inside of the C library is reported at its caller.
fn is_same_place(expected: &Expected, reported: &[Place]) -> bool {
    let known = |place: &&Place| place.line > 0 || !place.function.is_empty();
    let Some(innermost) = expected.stack.iter().find(known) else { return true };
    if !reported.iter().any(|place| place.line > 0) {
        return true;
    }
    let same_line =
        |a: &Place, b: &Place| a.line > 0 && a.line == b.line && base_name(&a.file) == base_name(&b.file);
    let same_function = |a: &Place, b: &Place| {
        !a.function.is_empty()
            && a.function == b.function
            && (a.file.is_empty() || b.file.is_empty() || base_name(&a.file) == base_name(&b.file))
    };
    // Which of the functions of a recursion hits the end of the stack depends on the stack's size.
    let any_function = expected.kind == BugKind::StackExhaustion;
    reported.iter().any(|place| {
        same_line(place, innermost)
            || same_function(place, innermost)
            || expected
                .stack
                .iter()
                .any(|caller| same_line(place, caller) || (any_function && same_function(place, caller)))
    })
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Captured;
    use std::time::Duration;

    fn place(file: &str, line: u32, function: &str) -> Place {
        Place { file: file.into(), line, function: function.into() }
    }

    fn report(ending: Ending, stderr: &str) -> Report {
        Report {
            ending,
            stdout: Captured::default(),
            stderr: Captured { bytes: stderr.into(), total: stderr.len() as u64 },
            duration: Duration::from_secs(2),
            cpu: Duration::ZERO,
            peak_rss: None,
            coverage: None,
        }
    }

    fn judged(kind: BugKind, stack: &[Place], ending: Ending, stderr: &str) -> Verdict {
        judge(&Expected { kind, stack: stack.to_vec() }, &report(ending, stderr))
    }

    const OVERFLOW: &str = "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\nREAD of size 1\n    \
                            #0 0x1 in strlen (/p+0x1)\n    #1 0x2 in show /src/a.c:12:3\n    #2 0x3 in main /src/a.c:20:1\n\n";

    #[test]
    fn the_kind_and_the_place_must_fit() {
        let exit = Ending::Exited(1);
        let show = [place("a.c", 12, "show")];
        assert!(judged(BugKind::OutOfBoundsRead, &show, exit, OVERFLOW).is_confirmed());
        assert!(judged(BugKind::OutOfBoundsRead, &[], exit, OVERFLOW).is_confirmed());
        // Another line of the same function is fine; another function is another bug.
        assert!(
            judged(BugKind::OutOfBoundsRead, &[place("x/a.c", 11, "show")], exit, OVERFLOW).is_confirmed()
        );
        let other = judged(BugKind::OutOfBoundsRead, &[place("a.c", 40, "other")], exit, OVERFLOW);
        assert_eq!(
            other,
            Verdict::NotConfirmed {
                observed: "heap-buffer-overflow at /src/a.c:12 in show, expected at a.c:40 in other".into()
            }
        );
        // The engine is inside of its own C library there; the caller tells.
        let inside = [place("musl/src/string/strlen.c", 9, "__strlen"), place("a.c", 12, "show")];
        assert!(judged(BugKind::OutOfBoundsRead, &inside, exit, OVERFLOW).is_confirmed());
        let wrong = judged(BugKind::DoubleFree, &show, exit, OVERFLOW);
        assert_eq!(
            wrong.to_string(),
            "not confirmed: exit status 1, heap-buffer-overflow at /src/a.c:12 in show"
        );
    }

    #[test]
    fn a_later_report_counts_too() {
        let text = format!("b.c:3:1: runtime error: shift exponent 40 is too large\n{OVERFLOW}");
        assert!(
            judged(BugKind::OutOfBoundsRead, &[place("a.c", 12, "show")], Ending::Exited(1), &text)
                .is_confirmed()
        );
        assert!(
            judged(BugKind::OversizedShift, &[place("b.c", 3, "f")], Ending::Exited(1), &text).is_confirmed()
        );
    }

    #[test]
    fn signals_assertions_and_hangs() {
        assert!(judged(BugKind::Abort, &[], Ending::Signaled(6), "").is_confirmed());
        assert!(!judged(BugKind::Abort, &[], Ending::Exited(0), "").is_confirmed());
        assert!(judged(BugKind::NullDereference, &[], Ending::Signaled(11), "").is_confirmed());
        assert!(judged(BugKind::DivisionByZero, &[], Ending::Signaled(8), "").is_confirmed());
        let assertion = "p: a.c:7: f: Assertion `x' failed.\n";
        let at = |line| {
            judged(BugKind::AssertionFailure, &[place("a.c", line, "f")], Ending::Signaled(6), assertion)
        };
        assert!(at(7).is_confirmed());
        let other =
            judged(BugKind::AssertionFailure, &[place("a.c", 3, "g")], Ending::Signaled(6), assertion);
        assert!(!other.is_confirmed(), "{other}");
        let hang = judged(BugKind::InstructionLimit, &[], Ending::TimedOut, "");
        assert_eq!(hang, Verdict::Confirmed { how: "still running after 2.0 s".into() });
        assert!(!judged(BugKind::InstructionLimit, &[], Ending::Exited(0), "").is_confirmed());
    }

    #[test]
    fn some_kinds_have_no_native_sign() {
        assert_eq!(judged(BugKind::SolverFailure, &[], Ending::Exited(0), ""), Verdict::NotConfirmable);
        let misfit = judged(BugKind::Abort, &[], Ending::Exited(1), "KLEE_RUN_TEST_ERROR: out of inputs.\n");
        assert!(misfit.to_string().contains("does not fit the program"), "{misfit}");
    }
}
