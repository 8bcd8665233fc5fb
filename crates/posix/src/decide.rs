//! Decisions inside of a system call: each feasible case becomes a path of its own, which executes the call again
//! from its start and finds the case decided. Nothing may have been changed before.

use forkwise_expr::Expr;
use forkwise_vm::{Feasibility, Limit, State, Termination, Vm};

/// Which of the conditions holds on this path; on every input exactly one must. The path goes on with the one that
/// holds for its witness, and a sibling is made for each other that is feasible.
pub(crate) fn among(vm: &mut Vm, st: &mut State, conditions: &[Expr]) -> Result<usize, Termination> {
    let Some(own) = conditions.iter().position(|c| vm.eval(st, *c) == 1) else {
        return Err(Termination::Internal("a decision of a system call left out a case".into()));
    };
    if vm.exprs.is_true(conditions[own]) {
        return Ok(own);
    }
    let fork = st.forking && !vm.stop_forking;
    for (i, c) in conditions.iter().enumerate() {
        if i == own {
            continue;
        }
        match vm.may(st, *c) {
            Feasibility::Yes(witness) if fork => {
                let child = vm.sibling(st, *c, witness);
                vm.push_fork(child);
            }
            Feasibility::Yes(witness) => {
                let state = vm.sibling(st, *c, witness);
                vm.ended.push(forkwise_vm::Ended { state, termination: Termination::Limit(Limit::Forks) });
            }
            Feasibility::No => {}
            Feasibility::Unknown(why) => {
                vm.note(format!("a case of a system call was left out: the solver gave no answer ({why})"));
            }
        }
    }
    vm.assume_true(st, conditions[own]);
    Ok(own)
}
