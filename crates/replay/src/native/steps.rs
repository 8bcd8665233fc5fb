//! Counting the instructions of a program by executing it one at a time: slow, a hundred thousand a second at best, but
//! exact and possible on every machine. The program has asked to be traced when it was started (see [`super::start`]),
//! so it waits at its first instruction. Only the program's first thread is counted, as it is the only one traced.

use std::io;
use std::time::Instant;

use libc::{c_int, pid_t};

use super::last_error;
use super::start::Started;
use super::wait::{kill_group, reap};

/// Steps between two looks at the clock.
const LOOK: u64 = 1024;
/// Where the program counter is in `struct user`, in bytes.
const PROGRAM_COUNTER: usize = std::mem::offset_of!(libc::user_regs_struct, rip);

/// A traced program; it is killed with this value.
pub struct Steps {
    pid: pid_t,
    ended: bool,
}

impl Steps {
    /// Of a program that was started as a traced one, by this thread.
    pub fn new(started: Started) -> Steps {
        Steps { pid: started.pid, ended: false }
    }

    /// Runs the program to its end, step by step.
    pub fn count(mut self, deadline: Instant) -> io::Result<u64> {
        self.wait_stopped()?.ok_or_else(|| io::Error::other("the program does not wait for being traced"))?;
        let (mut count, mut signal) = (0u64, 0);
        let mut last = 0;
        for step in 0u64.. {
            if step % LOOK == 0 && Instant::now() >= deadline {
                return Err(io::Error::other(format!(
                    "more than {count} instructions take too long to step through"
                )));
            }
            let here = self.program_counter()?;
            // A string instruction stops after each of its repetitions.
            let counted = here != last;
            count += u64::from(counted);
            last = here;
            self.step(signal)?;
            match self.wait_stopped()? {
                None => return Ok(count),
                Some(libc::SIGTRAP) => signal = 0,
                // A signal of its own, delivered with the next step; this one executed nothing.
                Some(other) => {
                    (signal, last) = (other, 0);
                    count -= u64::from(counted);
                }
            }
        }
        Ok(count)
    }

    /// The signal it stopped with; `None`: it has ended.
    fn wait_stopped(&mut self) -> io::Result<Option<c_int>> {
        let mut status = 0;
        // SAFETY: plain data for the call to fill; the process is our child and not reaped yet.
        while unsafe { libc::waitpid(self.pid, &mut status, libc::__WALL) } < 0 {
            let error = last_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        if libc::WIFSTOPPED(status) {
            return Ok(Some(libc::WSTOPSIG(status)));
        }
        self.ended = true;
        Ok(None)
    }

    fn program_counter(&self) -> io::Result<u64> {
        // SAFETY: reads a word of a stopped process that this thread traces; no memory of ours is touched.
        let value = unsafe {
            *libc::__errno_location() = 0;
            libc::ptrace(libc::PTRACE_PEEKUSER, self.pid, PROGRAM_COUNTER, 0)
        };
        match last_error().raw_os_error() {
            Some(0) | None => Ok(value as u64),
            _ if value != -1 => Ok(value as u64),
            _ => Err(last_error()),
        }
    }

    fn step(&self, signal: c_int) -> io::Result<()> {
        // SAFETY: lets a stopped process that this thread traces go on; no memory of ours is touched.
        match unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, self.pid, 0, signal) } {
            -1 => Err(last_error()),
            _ => Ok(()),
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if !self.ended {
            kill_group(self.pid);
            reap(self.pid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::start::Start;
    use crate::native::waiter::image;
    use std::ffi::CString;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    #[rustfmt::skip]
    const CODE: &[u8] = &[
        0xb9, 0xe8, 0x03, 0x00, 0x00, // mov ecx, 1000
        0xff, 0xc9,                   // again: dec ecx
        0x75, 0xfc,                   // jnz again
        0x48, 0x8d, 0x7c, 0x24, 0x80, // lea rdi, [rsp-128]
        0xb9, 0x32, 0x00, 0x00, 0x00, // mov ecx, 50
        0xf3, 0xaa,                   // rep stosb
        0xb8, 0x3c, 0x00, 0x00, 0x00, // mov eax, 60 (exit)
        0x31, 0xff,                   // xor edi, edi
        0x0f, 0x05,                   // syscall
    ];

    fn count(code: &[u8], limit: Duration) -> io::Result<u64> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        std::fs::write(&path, image(code)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let program = CString::new(path.as_os_str().as_bytes()).unwrap();
        let null = super::super::above_standard(std::fs::File::open("/dev/null").unwrap().into()).unwrap();
        let started = Start {
            program: &program,
            executable: None,
            args: std::slice::from_ref(&program),
            env: &[],
            directory: c"/",
            stdio: [null.as_fd(); 3],
            counters: None,
            limits: &[],
            sandbox: None,
            traced: true,
        }
        .start()
        .unwrap();
        Steps::new(started).count(Instant::now() + limit)
    }

    #[test]
    fn every_instruction_counts_once() {
        assert_eq!(count(CODE, Duration::from_secs(60)).unwrap(), 1 + 2 * 1000 + 3 + 3);
    }

    #[test]
    fn a_program_that_never_ends_is_given_up() {
        // A jump to itself and one to the jump.
        let error = count(&[0x90, 0xeb, 0xfd], Duration::from_millis(100)).unwrap_err();
        assert!(error.to_string().contains("too long"), "{error}");
    }
}
