//! The virtual Linux below the C library: system calls without a host.
//!
//! [`Linux`] implements the virtual machine's `Os`. Nothing here touches the real machine, mounts aside, which are
//! only read: files are part of the path, output is captured in the state, time is counted, random numbers come from
//! a counter. Read `world` for what a path keeps, `table` for the calls on files, `paths` for symbolic file names,
//! `start` for how a program begins.

mod call;
mod content;
mod control;
mod decide;
mod descriptors;
mod directories;
mod errno;
mod failures;
mod inode;
mod metadata;
mod mounts;
mod names;
mod numbers;
mod open;
mod paths;
mod pipes;
mod process;
mod setup;
mod start;
mod stat;
mod table;
mod transfer;
mod tree;
mod world;

pub use setup::{Argument, Mount, Setup, Variable, VariableValue};
pub use start::{Environment, initial_states, test_environment};
pub use tree::WORKING_DIRECTORY;

use call::{Call, Stop};
use forkwise_vm::{Os, State, SysResult, Termination, Value, Vm};
use std::rc::Rc;
use world::World;

/// The kernel. All state that differs between paths is in the path's [`State`].
#[derive(Debug, Default)]
pub struct Linux {
    setup: Rc<Setup>,
}

impl Linux {
    /// A kernel for programs that are started like this.
    pub fn new(setup: Rc<Setup>) -> Linux {
        Linux { setup }
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
        if !World::is_installed(st) {
            start::install_late(vm, st, &self.setup);
        }
        if let Some(result) = table::serve(&mut Call { vm, st, args }, number) {
            return match result {
                Ok(v) => Ok(ok(v)),
                Err(Stop::Errno(n)) => Ok(errno(n)),
                Err(Stop::End(t)) => Err(t),
            };
        }
        match number {
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
            _ => {
                if let Some(what) = numbers::whole_family(number) {
                    vm.note(format!(
                        "{what}: there is one process without a network; such calls fail (ENOSYS)"
                    ));
                }
                Ok(SysResult::Unmodelled)
            }
        }
    }
}
