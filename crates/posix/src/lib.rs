//! The virtual Linux below the C library: system calls without a host.
//!
//! [`Linux`] implements the virtual machine's `Os`. Nothing here touches the real machine: output is captured in the
//! state, time is counted, random numbers come from a counter. So far it holds what a harness without files needs
//! (output, exit, memory, signals that end a program, clocks); everything else answers ENOSYS and is counted.

mod numbers;
mod output;
mod process;
mod setup;

pub use setup::{Argument, Mount, Setup, Variable, VariableValue};

use forkwise_vm::{Os, State, SysResult, Termination, Value, Vm};

/// The kernel. All state that differs between paths is in the path's [`State`].
#[derive(Debug, Default)]
pub struct Linux {}

impl Linux {
    /// A kernel with nothing but standard descriptors.
    pub fn new() -> Linux {
        Linux {}
    }
}

/// The negative of an errno, as the kernel returns it.
fn errno(n: i64) -> SysResult {
    SysResult::Value(Value::concrete((-n) as u64))
}

fn ok(v: u64) -> SysResult {
    SysResult::Value(Value::concrete(v))
}

impl Os for Linux {
    fn syscall(
        &mut self,
        vm: &mut Vm,
        st: &mut State,
        number: u64,
        args: &[Value; 6],
    ) -> Result<SysResult, Termination> {
        use numbers::*;
        match number {
            READ => output::read(vm, st, args),
            WRITE => output::write(vm, st, args),
            WRITEV => output::writev(vm, st, args),
            READV => output::readv(vm, st, args),
            CLOSE | FCNTL => output::close_or_fcntl(vm, st, args),
            LSEEK => output::lseek(vm, st, args),
            IOCTL => output::ioctl(vm, st, args),
            FSTAT => output::fstat(vm, st, args),
            EXIT | EXIT_GROUP => process::exit(vm, st, args),
            ARCH_PRCTL => process::arch_prctl(vm, st, args),
            MMAP => process::mmap(vm, st, args),
            MUNMAP => process::munmap(vm, st, args),
            BRK | MPROTECT | MADVISE => Ok(ok(0)),
            SET_TID_ADDRESS | GETTID | GETPID => Ok(ok(process::PID)),
            GETPPID => Ok(ok(1)),
            GETUID | GETEUID | GETGID | GETEGID => Ok(ok(process::UID)),
            RT_SIGPROCMASK | FUTEX | SCHED_YIELD | SET_ROBUST_LIST => Ok(ok(0)),
            RT_SIGACTION => process::sigaction(vm, st, args),
            KILL => process::kill(vm, st, args[1]),
            TKILL => process::kill(vm, st, args[1]),
            TGKILL => process::kill(vm, st, args[2]),
            CLOCK_GETTIME => process::clock_gettime(vm, st, args),
            GETTIMEOFDAY => process::gettimeofday(vm, st, args),
            NANOSLEEP | CLOCK_NANOSLEEP => Ok(ok(0)),
            GETRANDOM => process::getrandom(vm, st, args),
            _ => Ok(SysResult::Unmodelled),
        }
    }
}
