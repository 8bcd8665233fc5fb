//! System calls that fail although they need not (`--max-fail N`), as in KLEE's model: for some calls an input says
//! which of their executions fails, so that each path has at most one failure of each kind and N in all.

use crate::call::{Call, Stop, fail};
use crate::errno::{EIO, ERANGE};
use forkwise_expr::Expr;
use forkwise_vm::{Byte, State, Vm};

/// A call that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Failing {
    Read,
    Write,
    Close,
    Truncate,
    Getcwd,
}

/// The inputs' names, in the order of [`Failing`].
const NAMES: [&str; 5] = ["read_fail", "write_fail", "close_fail", "ftruncate_fail", "getcwd_fail"];

/// What is left to fail on a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    left: u32,
    /// For each call the number of the execution that fails; empty where none may.
    which: Vec<Expr>,
    executed: [u32; 5],
}

impl Failures {
    /// Up to `most` failures; makes the inputs.
    pub fn new(vm: &mut Vm, st: &mut State, most: u32) -> Failures {
        let mut which = Vec::new();
        if most > 0 {
            for name in NAMES {
                let bytes: Vec<Byte> = vm.new_input(st, name, 4, 0);
                let v = vm.value_from_bytes(&bytes, 32);
                which.push(vm.expr_of(v, 32));
            }
        }
        Failures { left: most, which, executed: [0; 5] }
    }

    /// Every expression in it.
    pub fn expressions(&self, out: &mut Vec<Expr>) {
        out.extend(&self.which);
    }
}

impl Call<'_> {
    /// Decides whether this execution of a call fails; comes before anything is changed.
    pub fn may_fail(&mut self, call: Failing) -> Result<(), Stop> {
        let failures = &self.world().failures;
        let (left, n) = (failures.left, failures.executed[call as usize] + 1);
        let Some(which) = failures.which.get(call as usize).copied() else { return Ok(()) };
        let mut fails = false;
        if left > 0 {
            let k = self.vm.exprs.constant(32, n as u64);
            let now = self.vm.exprs.eq(which, k);
            let other = self.vm.exprs.not(now);
            fails = self.decide(&[other, now])? == 1;
        }
        let failures = &mut self.world_mut().failures;
        if !fails {
            // Counted when the call is served; see `served`.
            return Ok(());
        }
        failures.executed[call as usize] = n;
        failures.left -= 1;
        fail(if call == Failing::Getcwd { ERANGE } else { EIO })
    }

    /// Counts an execution that did not fail on purpose. Called where the call changes the world, after all
    /// decisions.
    pub fn served(&mut self, call: Failing) {
        if !self.world().failures.which.is_empty() {
            self.world_mut().failures.executed[call as usize] += 1;
        }
    }
}
