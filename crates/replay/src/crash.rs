//! Is what a run did a bug, whatever was predicted? A signal of the kind that programs die from, a sanitizer's report
//! or a failed assertion. The answer names the bug so that two runs can be told to show the same one.

use crate::report::{Ending, Report};
use crate::sanitizer::{Tool, findings};

/// A bug that a native run shows. Equal values are the same bug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NativeBug {
    /// A sanitizer's name for it, `assertion`, or the signal.
    pub kind: String,
    /// Where, if the run tells: `file:line in function`; else empty.
    pub place: String,
}

impl std::fmt::Display for NativeBug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place.is_empty() {
            true => f.write_str(&self.kind),
            false => write!(f, "{} at {}", self.kind, self.place),
        }
    }
}

/// Signals that the kernel or `abort` ends a faulty program with. Others are sent on purpose.
const FATAL: [i32; 7] =
    [libc::SIGSEGV, libc::SIGABRT, libc::SIGFPE, libc::SIGILL, libc::SIGBUS, libc::SIGTRAP, libc::SIGSYS];

/// The bug that a run shows, if it shows one.
pub fn native_bug(report: &Report) -> Option<NativeBug> {
    let fatal = match report.ending {
        Ending::Signaled(signal) => FATAL.contains(&signal),
        _ => false,
    };
    let text = report.stderr.text();
    // A program may print anything, also what looks like a failed assertion; it counts only if the program died.
    let finding = findings(&text).into_iter().find(|finding| fatal || finding.tool != Tool::Assertion);
    match finding {
        Some(finding) => {
            let place = finding
                .stack
                .iter()
                .find(|place| place.line > 0 && !crate::sanitizer::is_runtime(&place.file));
            Some(NativeBug { kind: finding.kind, place: place.map(ToString::to_string).unwrap_or_default() })
        }
        None => fatal.then(|| NativeBug { kind: report.ending.to_string(), place: String::new() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Captured;
    use std::time::Duration;

    fn bug(ending: Ending, stderr: &str) -> Option<String> {
        let report = Report {
            ending,
            stdout: Captured::default(),
            stderr: Captured { bytes: stderr.into(), total: stderr.len() as u64 },
            duration: Duration::ZERO,
            cpu: Duration::ZERO,
            peak_rss: None,
            coverage: None,
        };
        native_bug(&report).map(|bug| bug.to_string())
    }

    #[test]
    fn deaths_reports_and_assertions() {
        assert_eq!(bug(Ending::Signaled(11), "").as_deref(), Some("signal 11 (SIGSEGV)"));
        assert_eq!(bug(Ending::Signaled(15), ""), None);
        assert_eq!(bug(Ending::TimedOut, ""), None);
        let assertion = "p: x.c:3: f: Assertion `a' failed.\n";
        assert_eq!(bug(Ending::Signaled(6), assertion).as_deref(), Some("assertion at x.c:3 in f"));
        assert_eq!(bug(Ending::Exited(1), assertion), None);
        let report =
            "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n    #0 0x1 in f /a/x.c:7:2\n";
        assert_eq!(bug(Ending::Exited(1), report).as_deref(), Some("heap-buffer-overflow at /a/x.c:7 in f"));
    }
}
