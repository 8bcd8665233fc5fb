//! Waiting for a started program: its output and its end arrive through one `poll`, so that a flood of output, a
//! hang and an early end are all seen at once. See [`crate::runner`] for what is done about them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

use libc::pid_t;

use super::start::Started;
use super::{checked, last_error, pidfd};

/// A started program under observation. When it is dropped the program and its process group are gone.
#[derive(Debug)]
pub struct Watch {
    pid: pid_t,
    fd: OwnedFd,
    reaped: bool,
}

/// How a program ended, as the kernel tells it.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Its exit code, or
    pub code: Option<i32>,
    /// the signal that ended it.
    pub signal: Option<i32>,
    /// CPU time.
    pub cpu: Duration,
    /// The kernel's idea of the most memory it used, in bytes.
    pub max_rss: u64,
}

/// What [`Watch::wait`] saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// The program has ended.
    pub ended: bool,
    /// Which of the given descriptors have something to read, or have been closed by all writers.
    pub readable: [bool; 2],
}

impl Watch {
    /// Starts watching.
    pub fn new(started: Started) -> io::Result<Watch> {
        match pidfd(started.pid) {
            Ok(fd) => Ok(Watch { pid: started.pid, fd, reaped: false }),
            Err(error) => {
                kill_group(started.pid);
                reap(started.pid);
                Err(error)
            }
        }
    }

    /// The program's process.
    pub fn pid(&self) -> pid_t {
        self.pid
    }

    /// Waits until something happens, but not longer than `limit`.
    pub fn wait(&self, outputs: [Option<RawFd>; 2], limit: Duration) -> io::Result<Seen> {
        let entry =
            |fd: Option<RawFd>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
        let mut entries = [entry(Some(self.fd.as_raw_fd())), entry(outputs[0]), entry(outputs[1])];
        poll(&mut entries, milliseconds(limit))?;
        Ok(Seen {
            ended: entries[0].revents != 0,
            readable: [entries[1].revents != 0, entries[2].revents != 0],
        })
    }

    /// Kills the program and its process group.
    pub fn kill(&self) {
        if !self.reaped {
            kill_group(self.pid);
        }
    }

    /// Takes the ended program's status. Its process group is killed first, while the number is still its own.
    pub fn finish(mut self) -> io::Result<Ended> {
        kill_group(self.pid);
        self.reaped = true;
        let mut status = 0;
        // SAFETY: plain data for the call to fill; the process is our child and not reaped yet.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            while libc::wait4(self.pid, &mut status, 0, &mut usage) < 0 {
                let error = last_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            usage
        };
        let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, (t.tv_usec as u32).saturating_mul(1000));
        Ok(Ended {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu: time(usage.ru_utime) + time(usage.ru_stime),
            max_rss: usage.ru_maxrss as u64 * 1024,
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.reaped {
            kill_group(self.pid);
            reap(self.pid);
        }
    }
}

pub(super) fn kill_group(pid: pid_t) {
    // SAFETY: the process is our child and not reaped, so the number means it and its group alone. The leader is
    // named too: it might have left the group.
    unsafe {
        libc::kill(-pid, libc::SIGKILL);
        libc::kill(pid, libc::SIGKILL);
    }
}

/// Waits for a child to end and forgets it.
pub(super) fn reap(pid: pid_t) {
    let mut status = 0;
    // SAFETY: plain data for the call to fill.
    while unsafe { libc::waitpid(pid, &mut status, 0) } < 0
        && last_error().kind() == io::ErrorKind::Interrupted
    {}
}

fn milliseconds(limit: Duration) -> i32 {
    // Rounded up: waking a moment early would make the caller spin through the last millisecond.
    i32::try_from(limit.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
}

fn poll(entries: &mut [libc::pollfd], limit: i32) -> io::Result<()> {
    // SAFETY: the slice is as long as said.
    match checked(unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, limit) }) {
        // A signal of ours: the caller looks at the clock and comes back.
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            entries.iter_mut().for_each(|entry| entry.revents = 0);
            Ok(())
        }
        other => other.map(|_| ()),
    }
}

/// Whether there is something to read within that time.
pub(super) fn wait_readable(fd: RawFd, limit: i32) -> io::Result<bool> {
    let mut entries = [libc::pollfd { fd, events: libc::POLLIN, revents: 0 }];
    poll(&mut entries, limit)?;
    Ok(entries[0].revents != 0)
}

/// How many processes there are among `roots` and all below them, counting no further than `enough`.
///
/// The kernel's own limit of processes does not apply to root, and counts all processes of a user; this does
/// neither. Processes that come and go while they are counted make the result inexact.
pub fn count_processes(roots: &[pid_t], enough: usize) -> usize {
    let mut pending: Vec<pid_t> = roots.to_vec();
    let mut count = 0;
    while let Some(pid) = pending.pop() {
        count += 1;
        if count + pending.len() >= enough {
            return enough;
        }
        // A thread has children of its own; the list of a process is the union over its threads.
        let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for (index, thread) in threads.flatten().enumerate() {
            if index > 0 {
                count += 1;
            }
            if count >= enough {
                return enough;
            }
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            pending.extend(children.split_whitespace().filter_map(|child| child.parse::<pid_t>().ok()));
        }
    }
    count
}

/// The most memory a running process has had in use so far, in bytes.
pub(crate) fn high_water(pid: pid_t) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The most memory this process has had in use so far, in bytes.
pub(crate) fn own_high_water() -> u64 {
    // SAFETY: plain data for the call to fill.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage.ru_maxrss as u64 * 1024
    }
}
