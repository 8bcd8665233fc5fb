//! What a native run may use. A plain value, passed to every run; nothing here is global.

use std::time::Duration;

/// The limits of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock, after which the run and all its processes are killed.
    pub wall: Duration,
    /// CPU time; rounded up to whole seconds, which is what the kernel counts. `None`: a second more than `wall`.
    pub cpu: Option<Duration>,
    /// Address space in bytes. Not applied to programs built with AddressSanitizer, whose shadow needs terabytes.
    pub address_space: Option<u64>,
    /// Largest file the program may write, in bytes.
    pub file_size: u64,
    /// Size of the stack in bytes.
    pub stack: u64,
    /// How many processes and threads the run may have at a time.
    pub processes: usize,
    /// How many bytes of standard output, and of standard error, are kept. More are read and thrown away.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            wall: Duration::from_secs(10),
            cpu: None,
            address_space: Some(4 << 30),
            file_size: 64 << 20,
            stack: 8 << 20,
            processes: 64,
            output: 1 << 20,
        }
    }
}

impl Limits {
    /// The CPU limit in whole seconds, at least one.
    pub fn cpu_seconds(&self) -> u64 {
        let limit = self.cpu.unwrap_or(self.wall + Duration::from_secs(1));
        (limit.as_secs() + u64::from(limit.subsec_nanos() > 0)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_seconds_round_up() {
        let of = |wall, cpu| Limits { wall, cpu, ..Limits::default() }.cpu_seconds();
        assert_eq!(of(Duration::from_millis(200), None), 2);
        assert_eq!(of(Duration::from_secs(5), Some(Duration::from_millis(1))), 1);
        assert_eq!(of(Duration::from_secs(5), Some(Duration::ZERO)), 1);
        assert_eq!(of(Duration::from_secs(5), None), 6);
    }
}
