//! Ways to end or redirect a path: abort, assertions, setjmp/longjmp, system calls.

use super::Builtin;
use crate::call::{Call, FRAME_BYTES, Flow};
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::{SysResult, Unmodelled, Vm};
use crate::memory::Origin;
use crate::signal::Resume;
use crate::state::{Exiting, JumpTarget, OnReturn, State};
use crate::value::Value;
use std::rc::Rc;

pub(super) const NAMES: &[&str] = &[
    "abort",
    "syscall",
    "__assert_fail",
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
];

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    Some(match name {
        "abort" => abort,
        "exit" | "_exit" | "_Exit" | "quick_exit" => exit,
        "__assert_fail" => assert_fail,
        "__assert_rtn" => assert_rtn,
        "__assert" => assert_bsd,
        "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp" => setjmp,
        "longjmp" | "_longjmp" | "siglongjmp" => longjmp,
        "__forkwise_syscall" => syscall,
        "syscall" => libc_syscall,
        "__forkwise_thread_pointer" => thread_pointer,
        "__stack_chk_fail" => stack_smashed,
        _ => return None,
    })
}

impl Vm {
    /// Stores an error number where the program has an errno, then goes on after the current operation.
    pub(crate) fn set_errno(&mut self, st: &mut State, value: u32) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let errno = ["___errno_location", "__errno_location"]
            .iter()
            .find_map(|n| program.function(n))
            .filter(|f| !program.functions[*f as usize].code.is_empty());
        match errno {
            Some(f) => {
                self.call_from_engine(st, f, &[], OnReturn::StoreErrno(value))?;
                Ok(Flow::Moved)
            }
            None => Ok(Flow::Next),
        }
    }
}

fn abort(vm: &mut Vm, st: &mut State, _: &Call<'_>) -> Result<Flow, Termination> {
    vm.abort(st)
}

fn stack_smashed(_: &mut Vm, _: &mut State, _: &Call<'_>) -> Result<Flow, Termination> {
    Err(Fault::new(FaultKind::Abort, "the stack protector found an overwritten frame").end())
}

fn exit(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let status = vm.exit_status(st, call.arg(st, 0));
    if call.name == "exit" {
        return vm.next_destructor(st, 0, Exiting::Status(status));
    }
    Err(vm.exited(st, status))
}

fn assertion(
    vm: &mut Vm,
    st: &mut State,
    text: Value,
    file: Value,
    line: Value,
) -> Result<Flow, Termination> {
    let text = vm.c_string(st, text)?;
    let file = vm.c_string(st, file)?;
    let line = vm.eval_value(st, line) as u32;
    let mut f = Fault::new(FaultKind::AssertionFailure, format!("ASSERTION FAIL: {text}"));
    f.place = Some((file, line));
    Err(f.end())
}

/// (expression, file, line, function)
fn assert_fail(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    assertion(vm, st, call.arg(st, 0), call.arg(st, 1), call.arg(st, 2))
}

/// (function, file, line, expression), as on macOS
fn assert_rtn(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    assertion(vm, st, call.arg(st, 3), call.arg(st, 1), call.arg(st, 2))
}

/// (expression, file, line), as in bitcode compiled against KLEE's and old headers
fn assert_bsd(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    assertion(vm, st, call.arg(st, 0), call.arg(st, 1), call.arg(st, 2))
}

fn setjmp(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let buffer = vm.concretize(st, call.arg(st, 0), 64, "a jump buffer")?;
    let saves_mask = call.name.contains("sig") && vm.eval_value(st, call.arg(st, 1)) as u32 != 0;
    let mask = if saves_mask { vm.os.as_ref().map(|os| os.signal_mask(st)) } else { None };
    let target = Rc::new(JumpTarget {
        buffer,
        serial: st.frame.serial,
        pc: st.frame.pc,
        regs: st.frame.regs.clone(),
        dst: call.dst,
        allocas: st.frame.allocas.len(),
        mask,
    });
    let jumps = Rc::make_mut(&mut st.jumps);
    let token = match jumps.iter().position(|j| j.buffer == buffer) {
        Some(i) => {
            jumps[i] = target;
            i
        }
        None => {
            jumps.push(target);
            jumps.len() - 1
        }
    };
    // The buffer holds only the number: copies of it stay valid, and what it means is kept in the state.
    vm.store_value(st, Value::concrete(buffer), Value::concrete(token as u64 + 1), 64)?;
    call.ret(st, Value::concrete(0))
}

fn longjmp(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let token = vm.load_value(st, call.arg(st, 0), 64)?;
    let token = vm.concretize(st, token, 64, "a jump buffer")?;
    let bad = |text: &str| Err(Fault::new(FaultKind::BadJump, text).end());
    let Some(target) = token.checked_sub(1).and_then(|i| st.jumps.get(i as usize)).cloned() else {
        return bad("longjmp with a buffer that setjmp never filled");
    };
    if !st.frames().any(|f| f.serial == target.serial) {
        return bad("longjmp to a function that has returned");
    }
    let v = call.arg(st, 1);
    while st.frame.serial != target.serial {
        if let Some(left) = st.pop_frame() {
            vm.free_stack(st, &left.allocas);
            st.stack_bytes -= FRAME_BYTES.min(st.stack_bytes);
        }
    }
    let later = st.frame.allocas.split_off(target.allocas.min(st.frame.allocas.len()));
    vm.free_stack(st, &later);
    let v = match v.sym {
        None => Value::concrete(if v.bits == 0 { 1 } else { v.bits }),
        Some(e) => {
            let w = vm.exprs.width(e);
            let (zero, one) = (vm.exprs.constant(w, 0), vm.exprs.constant(w, 1));
            let is_zero = vm.exprs.eq(e, zero);
            let e = vm.exprs.ite(is_zero, one, e);
            vm.value_of(e)
        }
    };
    st.frame.regs.clone_from(&target.regs);
    st.frame.regs[target.dst as usize] = v;
    st.frame.pc = target.pc + 1;
    if let (Some(mask), Some(os)) = (target.mask, &mut vm.os) {
        os.set_signal_mask(st, mask);
        return vm.deliver_signals(st, Resume::Here);
    }
    Ok(Flow::Moved)
}

/// A system call: the number is argument 0. The result is as the kernel returns it.
fn perform(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Value, Termination> {
    const ENOSYS: i64 = 38;
    let number = vm.concretize(st, call.arg(st, 0), 64, "a system call number")?;
    let args = std::array::from_fn(|i| call.arg(st, i + 1));
    let result = match vm.os.take() {
        Some(mut os) => {
            let result = os.syscall(vm, st, number, &args);
            vm.os = Some(os);
            result?
        }
        None => SysResult::Unmodelled,
    };
    match result {
        SysResult::Value(v) => Ok(v),
        SysResult::End(t) => Err(t),
        SysResult::Unmodelled => {
            *vm.unmodelled.entry(number).or_default() += 1;
            match vm.config.unmodelled {
                Unmodelled::Fail => Ok(Value::concrete(-ENOSYS as u64)),
                Unmodelled::Succeed => Ok(Value::concrete(0)),
                Unmodelled::Stop => {
                    Err(Termination::Unsupported(format!("system call {number}, which is not modelled")))
                }
            }
        }
    }
}

fn syscall(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let v = perform(vm, st, call)?;
    call.ret(st, v)?;
    vm.deliver_signals(st, Resume::After)
}

/// The C library's `syscall`: it reads six arguments whether or not they were passed, which exact bounds would not
/// allow; here the missing ones are zero. Errors go to errno.
fn libc_syscall(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let v = perform(vm, st, call)?;
    match v.sym {
        None if (v.bits as i64) < 0 && (v.bits as i64) > -4096 => {
            call.ret(st, Value::concrete(u64::MAX))?;
            vm.deliver_signals(st, Resume::Failed(-(v.bits as i64) as u32))
        }
        _ => {
            call.ret(st, v)?;
            vm.deliver_signals(st, Resume::After)
        }
    }
}

/// The pointer that the C library set, or a zero-filled area with room on both sides.
fn thread_pointer(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    if st.thread_pointer == 0 {
        let Some(base) = st.mem.allocate(8192, Origin::Engine, 0) else { return Err(vm.out_of_memory(8192)) };
        if let Some(o) = st.mem.object_mut(base) {
            o.external = true;
            o.write(4096, &(base + 4096).to_le_bytes());
        }
        st.thread_pointer = base + 4096;
    }
    call.ret(st, Value::concrete(st.thread_pointer))
}
