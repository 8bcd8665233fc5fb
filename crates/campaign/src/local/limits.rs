//! What a trial's process may use, given to it before it begins: processor time, address space, the size of a file, no core
//! dumps; and that it dies with its parent. Resident memory and time by the clock are watched from outside. The only `unsafe` of
//! the crate is here.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Address space beyond memory: the program's own files, stacks, memory that is reserved and never touched.
const RESERVED: u64 = 4 << 30;
/// The largest file a trial writes.
const LARGEST_FILE: u64 = 4 << 30;

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Resident memory, in bytes.
    pub memory: Option<u64>,
    /// Time by the clock beyond the trial's budget; a trial whose budget is no time has `unlimited` instead.
    pub grace: Option<Duration>,
    /// Time by the clock for trials whose budget is no time.
    pub unlimited: Option<Duration>,
}

impl Limits {
    /// Twice the budget and two minutes: loading, one query, writing.
    pub fn usual(memory: Option<u64>) -> Limits {
        Limits {
            memory,
            grace: Some(Duration::from_secs(120)),
            unlimited: Some(Duration::from_secs(2 * 3600)),
        }
    }

    /// When a trial with this budget is ended.
    pub fn wall(&self, time: Option<Duration>) -> Option<Duration> {
        match time {
            Some(time) => self.grace.map(|g| time.saturating_mul(2).saturating_add(g)),
            None => self.unlimited,
        }
    }
}

/// The resident memory at which a trial whose engine may use `memory` is ended: the engine drops states at its own
/// limit, and needs some more meanwhile.
pub fn peak_limit(memory: u64) -> u64 {
    memory.saturating_add(memory / 2).saturating_add(512 << 20)
}

/// Makes a command start within limits, in a process group of its own. `wall` bounds the processor time, too.
pub fn apply(command: &mut Command, limits: &Limits, wall: Option<Duration>) {
    let mut list: Vec<(libc::__rlimit_resource_t, u64)> =
        vec![(libc::RLIMIT_CORE, 0), (libc::RLIMIT_FSIZE, LARGEST_FILE)];
    if let Some(memory) = limits.memory {
        list.push((libc::RLIMIT_AS, memory.saturating_add(RESERVED)));
    }
    if let Some(wall) = wall {
        list.push((libc::RLIMIT_CPU, wall.as_secs().saturating_add(2)));
    }
    let parent = std::process::id();
    command.process_group(0);
    let prepare = move || {
        for (resource, limit) in &list {
            let both = libc::rlimit { rlim_cur: *limit, rlim_max: *limit };
            // SAFETY: a plain system call with a pointer to a live value. A limit that is lower already stays; that is no error.
            unsafe { libc::setrlimit(*resource, &both) };
        }
        // SAFETY: plain system calls. The second closes the gap in which the parent died before the first.
        let orphan = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) != 0
                || libc::getppid() as u32 != parent
        };
        if orphan { Err(io::Error::from(io::ErrorKind::Interrupted)) } else { Ok(()) }
    };
    // SAFETY: between fork and exec `prepare` makes system calls only; it neither allocates nor locks.
    unsafe { command.pre_exec(prepare) };
}

/// Kills a process group. The caller knows that its first process was not waited for yet, so that the number is still its.
pub fn kill_group(group: u32) {
    if let Ok(group) = libc::pid_t::try_from(group) {
        // SAFETY: a plain system call. An error means that nobody is left.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Waits until a process has ended, and leaves it to be waited for.
pub fn wait_until_ended(pid: u32) {
    loop {
        // SAFETY: siginfo_t is plain data that the call fills.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: `info` lives as long as the call.
        let result = unsafe { libc::waitid(libc::P_PID, pid, &mut info, libc::WEXITED | libc::WNOWAIT) };
        if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// Takes leave of a process that has ended: its status, and the processor seconds of it and of what it waited for.
pub fn reap(pid: u32) -> Option<(i32, f64)> {
    let mut status = 0;
    // SAFETY: rusage is plain data that the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both live as long as the call.
    let result = unsafe { libc::wait4(libc::pid_t::try_from(pid).ok()?, &mut status, 0, &mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    (result > 0).then(|| (status, seconds(usage.ru_utime) + seconds(usage.ru_stime)))
}
