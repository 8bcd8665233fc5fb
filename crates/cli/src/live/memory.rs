//! Memory of the processes that this one started, as the kernel tells it. Asked for while a screen is shown, so it is read rarely.

use std::fs;
use std::time::{Duration, Instant};

/// Readings come this far apart.
const PERIOD: Duration = Duration::from_secs(1);
/// Children of children, so deep: a trial may start a solver or a native program.
const DEPTH: usize = 3;

/// See the module text.
#[derive(Debug, Default)]
pub struct Children {
    read: Option<(Instant, u64)>,
}

impl Children {
    /// Bytes that all of them have in memory; 0 where the kernel does not tell.
    pub fn resident(&mut self) -> u64 {
        match self.read {
            Some((at, bytes)) if at.elapsed() < PERIOD => bytes,
            _ => {
                let bytes = below("self", DEPTH);
                self.read = Some((Instant::now(), bytes));
                bytes
            }
        }
    }
}

/// Of the children of a process. Any of them may be gone by now.
fn below(process: &str, depth: usize) -> u64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return 0 };
    let mut bytes = 0;
    for thread in threads.flatten() {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace() {
            bytes += resident(child);
            if depth > 1 {
                bytes += below(child, depth - 1);
            }
        }
    }
    bytes
}

fn resident(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_child_is_counted_while_it_lives() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("there is sleep");
        let start = Instant::now();
        while below("self", DEPTH) == 0 && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(Children::default().resident() > 0);
        child.kill().and_then(|()| child.wait()).expect("it can be ended");
        assert_eq!(resident("no such process"), 0);
    }
}
