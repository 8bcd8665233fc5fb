//! What a native run did: how it ended, what it wrote, what it used. Judging that is for [`mod@crate::check`] and
//! [`mod@crate::confirm`].

use std::time::Duration;

use crate::coverage::Coverage;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it.
    Signaled(i32),
    /// It was killed at its time limit, on the clock or of the CPU.
    TimedOut,
    /// It was killed because it had more processes than it may.
    TooManyProcesses,
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Exited(code) => write!(f, "exit status {code}"),
            Ending::Signaled(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "signal {signal} ({name})"),
                None => write!(f, "signal {signal}"),
            },
            Ending::TimedOut => f.write_str("time limit"),
            Ending::TooManyProcesses => f.write_str("too many processes"),
        }
    }
}

/// The usual name of a signal that ends programs.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}

/// What a run wrote to one of its outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, up to the limit.
    pub bytes: Vec<u8>,
    /// How much there was in all.
    pub total: u64,
}

impl Captured {
    /// Whether something was thrown away.
    pub fn is_truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// As text, for messages and for parsing reports.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Time on the clock.
    pub duration: Duration,
    /// CPU time, user and system.
    pub cpu: Duration,
    /// The most memory it had in use, in bytes. `None` when it is not known: the kernel counts the memory of the
    /// starting process as the program's own, so only a larger value, or one sampled while it ran, tells anything.
    pub peak_rss: Option<u64>,
    /// The branches it took; `None` when the program does not count them.
    pub coverage: Option<Coverage>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_read_well() {
        assert_eq!(Ending::Signaled(11).to_string(), "signal 11 (SIGSEGV)");
        assert_eq!(Ending::Signaled(40).to_string(), "signal 40");
        assert_eq!(Ending::Exited(3).to_string(), "exit status 3");
    }
}
