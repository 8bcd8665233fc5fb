//! The virtual Linux below the C library: system calls without a host.
//!
//! [`Linux`] implements the virtual machine's `Os`. Nothing here touches the real machine: output is captured in the
//! state, time is counted, random numbers come from a counter. So far it holds what a harness without files needs
//! (output, exit, memory, signals that end a program, clocks); everything else answers ENOSYS and is counted.

mod numbers;
mod output;
mod process;
mod setup;
mod user;

pub use setup::{Argument, Mount, Setup, Variable, VariableValue};

use forkwise_vm::{Delivery, Os, State, SysResult, Termination, Value, Vm};

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
            _ => process::syscall(vm, st, number, args),
        }
    }
    fn next_signal(&mut self, vm: &mut Vm, st: &mut State) -> Result<Option<Delivery>, Termination> {
        process::next_signal(vm, st)
    }

    fn abort_handler(&mut self, vm: &mut Vm, st: &mut State) -> Result<Option<Delivery>, Termination> {
        process::abort_handler(vm, st)
    }

    fn signal_mask(&self, st: &State) -> u64 {
        process::signal_mask(st)
    }

    fn set_signal_mask(&mut self, st: &mut State, mask: u64) {
        process::set_signal_mask(st, mask);
    }
}
