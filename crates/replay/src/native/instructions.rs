//! Counting the instructions that a program executes in user mode, by the processor's own counter. The counter belongs to
//! the thread that starts the program, is handed on to its children and begins to count when one of them executes a
//! program, so nothing of this process is counted. Machines without such a counter (many virtual ones) say so.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `struct perf_event_attr` in its first published size, which every kernel takes.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

const HARDWARE: u32 = 0;
const INSTRUCTIONS: u64 = 1;
const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// A counter for programs that this thread starts from now on.
pub struct InstructionCounter(OwnedFd);

impl InstructionCounter {
    /// Opens it; an error says that the kernel or the machine has none for us.
    pub fn open() -> io::Result<InstructionCounter> {
        let attributes = Attributes {
            kind: HARDWARE,
            size: size_of::<Attributes>() as u32,
            config: INSTRUCTIONS,
            flags: DISABLED | INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | ENABLE_ON_EXEC,
            ..Attributes::default()
        };
        // SAFETY: the kernel reads `size` bytes of the structure, which outlives the call; the rest are plain numbers.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                0 as libc::pid_t,
                -1 as libc::c_int,
                -1 as libc::c_int,
                CLOSE_ON_EXEC,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has just given us this descriptor.
        Ok(InstructionCounter(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) }))
    }

    /// Instructions of the programs that have ended since it was opened.
    pub fn read(&self) -> io::Result<u64> {
        let mut count = 0u64;
        // SAFETY: the kernel writes at most eight bytes into a number of eight.
        let n = unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
        match n {
            8 => Ok(count),
            n if n < 0 => Err(io::Error::last_os_error()),
            _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        }
    }
}
