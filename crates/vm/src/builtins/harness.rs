//! The names of the Test-Comp and SV-COMP rules: `__VERIFIER_nondet_*` and friends.

use super::Builtin;
use crate::call::{Call, Flow};
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;
use forkwise_ir::ArgType;

const NONDET: &str = "__VERIFIER_nondet_";

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    Some(match name {
        "__VERIFIER_assume" => assume,
        "__VERIFIER_assert" => verifier_assert,
        "reach_error" | "__VERIFIER_error" => error,
        "__VERIFIER_nondet_memory" => memory,
        n if n.starts_with(NONDET) => nondet,
        _ => return None,
    })
}

fn assume(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    vm.assume(st, call.arg(st, 0), || Termination::Silent)?;
    call.ret(st, Value::concrete(0))
}

fn verifier_assert(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let holds = vm.nonzero(call.arg(st, 0));
    let fails = vm.exprs.not(holds);
    let end = |_: &mut Vm, _: &State| {
        Fault::new(FaultKind::AssertionFailure, "ASSERTION FAIL: __VERIFIER_assert").end()
    };
    if vm.exprs.is_true(fails) {
        return Err(end(vm, st));
    }
    vm.check_never(st, fails, end)?;
    call.ret(st, Value::concrete(0))
}

fn error(_: &mut Vm, _: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    Err(Fault::new(FaultKind::AssertionFailure, format!("ASSERTION FAIL: {} was reached", call.name)).end())
}

/// A value of the declared type. A truth value is kept as a byte whose lowest bit counts.
fn nondet(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let w = match &call.site.ret {
        Some(ArgType::Int(w)) => *w,
        Some(ArgType::Ptr) => 64,
        Some(ArgType::Float(f)) => f.bits(),
        _ => 32,
    };
    let name = &call.name[NONDET.len()..];
    if name == "bool" || name == "_Bool" {
        let byte = vm.new_input_value(st, name, 8);
        let v = match byte.sym {
            None => Value::concrete(byte.bits & 1),
            Some(e) => {
                let e = vm.exprs.extract(e, 0, 1);
                let e = vm.exprs.zext(e, w);
                vm.value_of(e)
            }
        };
        return call.ret(st, v);
    }
    // Narrow results are extended by the caller's conventions in registers; the value itself has w bits.
    let bytes = vm.new_input(st, name, w.div_ceil(8), 0);
    for (i, chunk) in bytes.chunks(8).enumerate() {
        let bits = (w - 64 * i as u32).min(64);
        let v = vm.value_from_bytes(chunk, bits);
        st.frame.regs[call.dst as usize + i] = v;
    }
    Ok(Flow::Next)
}

/// (address, size)
fn memory(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let size = vm.concretize(st, call.arg(st, 1), 64, "an input's size")?;
    let address = vm.concretize(st, call.arg(st, 0), 64, "an input's address")?;
    let Ok(n) = u32::try_from(size) else {
        return Err(Termination::Unsupported(format!("a symbolic input of {size} bytes")));
    };
    vm.resolve(st, Value::concrete(address), size, true)?;
    let bytes = vm.new_input(st, "memory", n, address);
    vm.store_bytes(st, Value::concrete(address), &bytes)?;
    call.ret(st, Value::concrete(0))
}
