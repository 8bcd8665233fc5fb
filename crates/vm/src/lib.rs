//! The symbolic virtual machine: states stepping over a program.
//!
//! [`Vm`] owns the program, the expressions and the solver; [`Vm::run`] advances one [`State`] until it forks, ends
//! or uses up its budget. The machine never chooses what to run next and does no IO: system calls go to an [`Os`],
//! choices to the caller. Read `interp` for the hot loop, `symbolic` for the slow path of the same operations,
//! `access` for memory with symbolic addresses, `feasible` for how branches are decided with witnesses.

mod access;
mod branch;
mod builtins;
mod call;
mod counts;
mod coverage;
mod fault;
mod feasible;
mod fp;
mod gc;
mod interp;
mod intrinsics;
mod machine;
mod memory;
mod profile;
mod seeds;
mod shares;
mod signal;
mod start;
mod state;
mod symbolic;
mod tape;
mod value;
mod wide;

pub use builtins::native_names;
pub use call::{Call, Flow};
pub use counts::{CallPath, Counts};
pub use coverage::Coverage;
pub use fault::{Fault, FaultKind, Limit, StackLine, Termination, UbKind, backtrace};
pub use feasible::Feasibility;
pub use gc::Visited;
pub use machine::{Config, Ended, Executed, Os, Step, SysResult, Tracer, Unmodelled, Vm};
pub use memory::{Byte, Memory, Object, Origin, Place, Rights};
pub use profile::{Profile, Spent, Stack};
pub use seeds::Seed;
pub use shares::ShareLimits;
pub use signal::Delivery;
pub use start::Strings;
pub use state::{First, Frame, Input, OsState, Registers, State, StateId, TreePlace, Witness};
pub use tape::{Said, Tape};
pub use value::Value;
