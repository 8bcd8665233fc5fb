//! Memory and string functions. Copying and filling work on any bytes; the rest are shortcuts for concrete data.

use super::{Builtin, Shortcut};
use crate::call::{Call, Flow};
use crate::fault::Termination;
use crate::machine::Vm;
use crate::memory::Memory;
use crate::state::State;
use crate::value::Value;
use forkwise_expr::Op as EOp;

pub(super) const NAMES: &[&str] =
    &["memcpy", "memmove", "memset", "mempcpy", "__memcpy_chk", "__memmove_chk", "__memset_chk", "bzero"];

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    Some(match name {
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => copy,
        "mempcpy" => copy_end,
        "memset" | "__memset_chk" => set,
        "bzero" => zero,
        _ => return None,
    })
}

fn copy(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let n = vm.concretize(st, call.arg(st, 2), 64, "a length")?;
    let (dst, src) = (call.arg(st, 0), call.arg(st, 1));
    vm.copy_memory(st, dst, src, n)?;
    call.ret(st, dst)
}

fn copy_end(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let n = vm.concretize(st, call.arg(st, 2), 64, "a length")?;
    let (dst, src) = (call.arg(st, 0), call.arg(st, 1));
    vm.copy_memory(st, dst, src, n)?;
    let end = vm.sym_bin(EOp::Add, 64, dst, Value::concrete(n));
    call.ret(st, end)
}

fn set(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let n = vm.concretize(st, call.arg(st, 2), 64, "a length")?;
    let (dst, byte) = (call.arg(st, 0), call.arg(st, 1));
    let byte = match byte.sym {
        None => Value::concrete(byte.bits & 0xff),
        Some(e) => vm.sym_extract(e, 0, 8),
    };
    vm.fill_memory(st, dst, byte, n)?;
    call.ret(st, dst)
}

fn zero(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let n = vm.concretize(st, call.arg(st, 1), 64, "a length")?;
    vm.fill_memory(st, call.arg(st, 0), Value::concrete(0), n)?;
    call.ret(st, Value::concrete(0))
}

/// The shortcut of a C library function.
pub(super) fn shortcut(name: &str) -> Option<Shortcut> {
    Some(match name {
        "strlen" => strlen,
        "strnlen" => strnlen,
        "strcmp" => strcmp,
        "strncmp" => strncmp,
        "memcmp" => memcmp,
        "memchr" => memchr,
        "strchr" => strchr,
        "strchrnul" | "__strchrnul" => strchrnul,
        "strrchr" => strrchr,
        _ => return None,
    })
}

/// Counts what a shortcut did, so that instruction budgets and costs see it: about one instruction a byte.
fn charge(st: &mut State, bytes: usize) {
    st.instructions += bytes as u64 + 4;
}

/// Concrete bytes from `address` until `stop` says so (that byte included) or `limit` bytes; `None` when a symbolic
/// byte or the end of the object comes first.
fn scan(mem: &Memory, address: u64, limit: usize, mut stop: impl FnMut(u8) -> bool) -> Option<(usize, bool)> {
    let o = mem.object(address)?;
    let start = address.wrapping_sub(o.base);
    let mut i = 0usize;
    while i < limit {
        if !o.contains(start + i as u64, 1) {
            return None;
        }
        let run = o.concrete_run(start + i as u64, limit - i);
        if run.is_empty() {
            return None;
        }
        if let Some(k) = run.iter().position(|b| stop(*b)) {
            return Some((i + k, true));
        }
        i += run.len();
    }
    Some((limit, false))
}

fn pointer(st: &State, call: &Call<'_>, i: usize) -> Option<u64> {
    call.arg(st, i).as_concrete()
}

fn strlen(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let (n, _) = scan(&st.mem, pointer(st, call, 0)?, usize::MAX, |b| b == 0)?;
    charge(st, n);
    Some(Value::concrete(n as u64))
}

fn strnlen(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let limit = pointer(st, call, 1)?;
    if limit == 0 {
        return Some(Value::concrete(0));
    }
    let (n, _) = scan(&st.mem, pointer(st, call, 0)?, limit as usize, |b| b == 0)?;
    charge(st, n);
    Some(Value::concrete(n as u64))
}

/// The first difference of two runs of concrete bytes, at most `limit` long; with `strings`, a zero ends both.
fn difference(mem: &Memory, a: u64, b: u64, limit: u64, strings: bool) -> Option<(i32, usize)> {
    let (oa, ob) = (mem.object(a)?, mem.object(b)?);
    let (sa, sb) = (a.wrapping_sub(oa.base), b.wrapping_sub(ob.base));
    let mut i = 0u64;
    while i < limit {
        if !oa.contains(sa + i, 1) || !ob.contains(sb + i, 1) {
            return None;
        }
        let n = (limit - i).min(1 << 20) as usize;
        let (ra, rb) = (oa.concrete_run(sa + i, n), ob.concrete_run(sb + i, n));
        let n = ra.len().min(rb.len());
        if n == 0 {
            return None;
        }
        for k in 0..n {
            let (x, y) = (ra[k], rb[k]);
            if x != y || (strings && x == 0) {
                return Some((x as i32 - y as i32, i as usize + k));
            }
        }
        i += n as u64;
    }
    Some((0, limit as usize))
}

fn compare(st: &mut State, call: &Call<'_>, limit: u64, strings: bool) -> Option<Value> {
    if limit == 0 {
        return Some(Value::concrete(0));
    }
    let (d, n) = difference(&st.mem, pointer(st, call, 0)?, pointer(st, call, 1)?, limit, strings)?;
    charge(st, n);
    Some(Value::concrete(d as u32 as u64))
}

fn strcmp(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    compare(st, call, u64::MAX, true)
}

fn strncmp(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let n = pointer(st, call, 2)?;
    compare(st, call, n, true)
}

fn memcmp(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let n = pointer(st, call, 2)?;
    compare(st, call, n, false)
}

fn memchr(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let (p, c, n) = (pointer(st, call, 0)?, pointer(st, call, 1)? as u8, pointer(st, call, 2)?);
    if n == 0 {
        return Some(Value::concrete(0));
    }
    let (at, found) = scan(&st.mem, p, n as usize, |b| b == c)?;
    charge(st, at);
    Some(Value::concrete(if found { p + at as u64 } else { 0 }))
}

fn chr(st: &mut State, call: &Call<'_>) -> Option<(u64, bool)> {
    let (p, c) = (pointer(st, call, 0)?, pointer(st, call, 1)? as u8);
    let mut last = 0;
    let (at, _) = scan(&st.mem, p, usize::MAX, |b| {
        last = b;
        b == c || b == 0
    })?;
    charge(st, at);
    Some((p + at as u64, last == c))
}

fn strchr(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let (at, found) = chr(st, call)?;
    Some(Value::concrete(if found { at } else { 0 }))
}

fn strchrnul(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    chr(st, call).map(|(at, _)| Value::concrete(at))
}

fn strrchr(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<Value> {
    let (p, c) = (pointer(st, call, 0)?, pointer(st, call, 1)? as u8);
    let mut hit = None;
    let mut i = 0u64;
    let (n, _) = scan(&st.mem, p, usize::MAX, |b| {
        if b == c {
            hit = Some(i);
        }
        i += 1;
        b == 0
    })?;
    charge(st, n);
    Some(Value::concrete(hit.map_or(0, |i| p + i)))
}
