//! The edge to the kernel: starting a process under limits and inside namespaces, and waiting for it. All `unsafe` of
//! the crate is here. Code that runs between `clone` and `exec` shares memory with this process or is a copy of one
//! of its threads, so it may only make system calls: no allocation, no locks, no panics.

mod counters;
mod instructions;
mod sandbox;
mod start;
mod steps;
mod wait;
mod waiter;
mod world;

pub use counters::Counters;
pub use instructions::InstructionCounter;
pub use sandbox::{Sandbox, SandboxError};
pub use start::{Start, StartError, Started};
pub use steps::Steps;
pub use wait::{Ended, Seen, Watch, count_processes};
pub(crate) use wait::{high_water, own_high_water};
pub use world::{GCOV, INPUTS, WORKING_DIRECTORY, World};

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// The error that the last failed call left behind.
pub(crate) fn last_error() -> io::Error {
    io::Error::last_os_error()
}

/// `-1` as an error, anything else as it is.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(last_error()) } else { Ok(result) }
}

/// A pipe that children do not inherit. Both ends are above the standard descriptors, so that putting them in place
/// of those in a child never overwrites one before it is used.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for the two descriptors that the call writes.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both were just opened and belong to nobody else.
    let (read, write) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    Ok((above_standard(read)?, above_standard(write)?))
}

/// The same descriptor with a number above 2.
pub fn above_standard(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    // SAFETY: duplicating an open descriptor; the result is new and ours alone.
    unsafe { Ok(OwnedFd::from_raw_fd(checked(libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3))?)) }
}

/// A file in memory that holds `bytes`, positioned at its beginning.
pub fn memory_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    use std::io::{Seek, Write};
    // SAFETY: the name is a C string; the descriptor is new and ours alone.
    let fd =
        unsafe { OwnedFd::from_raw_fd(checked(libc::memfd_create(c"stdin".as_ptr(), libc::MFD_CLOEXEC))?) };
    let mut file = std::fs::File::from(above_standard(fd)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// Lets reads from a pipe return at once when there is nothing to read.
pub fn set_nonblocking(pipe: &OwnedFd) -> io::Result<()> {
    // SAFETY: changing flags of an open descriptor. A new pipe has no others that could be lost.
    checked(unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })?;
    Ok(())
}

/// A descriptor that becomes readable when the process ends.
fn pidfd(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: no memory is involved; the descriptor is new and ours alone.
    unsafe {
        let fd = checked(libc::syscall(libc::SYS_pidfd_open, pid, 0) as libc::c_int)?;
        above_standard(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Job, Limits, Program, Runner, RunnerOptions};

    /// The child that joins a sandbox shares this process's memory and changes its credentials; the kernel must not
    /// take that for a reason to hide the memory from debuggers and from `/proc`.
    #[test]
    fn entering_a_sandbox_leaves_this_process_readable() {
        let runner = Runner::new(&RunnerOptions::default()).unwrap();
        let program = Program::new(std::path::Path::new("/bin/true")).unwrap();
        runner.run(&Job::new(&program, &Limits::default())).unwrap();
        // SAFETY: the call only returns a number.
        assert_eq!(unsafe { libc::prctl(libc::PR_GET_DUMPABLE) }, 1);
    }
}
