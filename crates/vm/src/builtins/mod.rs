//! Functions that the engine provides by name.
//!
//! *Builtins* replace functions that have no body in the program: symbolic inputs, the allocator, assertions,
//! setjmp, system calls. *Shortcuts* stand beside C library functions that do have one: they answer calls whose data
//! is concrete at native speed, and leave everything else to the real code, with which they must agree.

mod alloc;
mod control;
mod harness;
mod klee;
mod math;
mod strings;
mod ubsan;

use crate::call::{Call, Flow};
use crate::fault::Termination;
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;
use forkwise_ir::Program;

pub(crate) use ubsan::describe as describe_check;

/// A function provided by the engine.
pub type Builtin = fn(&mut Vm, &mut State, &Call<'_>) -> Result<Flow, Termination>;

/// A fast answer for a function that has a body; `None`: run the body.
pub type Shortcut = fn(&mut Vm, &mut State, &Call<'_>) -> Option<Value>;

/// The builtin and the shortcut of each function of the program.
pub(crate) fn resolve(program: &Program) -> (Vec<Option<Builtin>>, Vec<Option<Shortcut>>) {
    program
        .functions
        .iter()
        .map(|f| match (f.code.is_empty(), f.is_library) {
            (true, _) => (by_name(&f.name), None),
            (false, true) => (None, strings::shortcut(&f.name)),
            (false, false) => (None, None),
        })
        .unzip()
}

/// The builtin of a name.
fn by_name(name: &str) -> Option<Builtin> {
    alloc::by_name(name)
        .or_else(|| control::by_name(name))
        .or_else(|| klee::by_name(name))
        .or_else(|| harness::by_name(name))
        .or_else(|| strings::by_name(name))
        .or_else(|| math::by_name(name))
        .or_else(|| ubsan::by_name(name))
}

/// Names that must not be taken from a C library because the engine provides them.
pub fn native_names() -> Vec<&'static str> {
    [alloc::NAMES, control::NAMES, strings::NAMES, math::NAMES].concat()
}
