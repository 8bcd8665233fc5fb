//! The virtual Linux below the C library: system calls without a host.
//!
//! [`Linux`] implements the virtual machine's `Os`. Nothing here touches the real machine, mounts aside, which are
//! only read: files are part of the path, output is captured in the state, time is counted, random numbers come from
//! a counter. Read `world` for what a path keeps, `table` for the calls on files, `paths` for symbolic file names,
//! `start` for how a program begins.

mod beyond;
mod call;
mod call_name;
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
mod open;
mod paths;
mod pipes;
mod process;
mod seed;
mod setup;
mod start;
mod stat;
mod table;
mod transfer;
mod tree;
mod user;
mod world;

pub use beyond::read_beyond_argument;
pub use call_name::call_name;
pub use seed::{SeedInput, seed_values};
pub use setup::{Argument, Mount, Setup, Variable, VariableValue};
pub use start::{Environment, initial_states, test_environment};
pub use tree::WORKING_DIRECTORY;

use call::{Call, Stop};
use forkwise_vm::{Delivery, Os, State, SysResult, Termination, Value, Vm};
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
        process::syscall(vm, st, number, args)
    }

    fn next_signal(&mut self, vm: &mut Vm, st: &mut State) -> Result<Option<Delivery>, Termination> {
        if World::is_installed(st) { process::next_signal(vm, st) } else { Ok(None) }
    }

    fn abort_handler(&mut self, vm: &mut Vm, st: &mut State) -> Result<Option<Delivery>, Termination> {
        if World::is_installed(st) { process::abort_handler(vm, st) } else { Ok(None) }
    }

    fn signal_mask(&self, st: &State) -> u64 {
        if World::is_installed(st) { process::signal_mask(st) } else { 0 }
    }

    fn set_signal_mask(&mut self, st: &mut State, mask: u64) {
        if World::is_installed(st) {
            process::set_signal_mask(st, mask);
        }
    }
}
