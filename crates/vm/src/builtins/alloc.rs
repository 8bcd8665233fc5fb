//! The allocator: one object per allocation, so that bounds and lifetimes are exact.

use super::Builtin;
use crate::access::read_object;
use crate::call::{Call, Flow};
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::memory::{Origin, Place};
use crate::state::State;
use crate::value::Value;

pub(super) const NAMES: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "malloc_usable_size",
];

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    Some(match name {
        "malloc" | "valloc" => malloc,
        "calloc" => calloc,
        "realloc" => realloc,
        "reallocarray" => reallocarray,
        "free" | "cfree" => free,
        "memalign" | "aligned_alloc" => aligned_alloc,
        "posix_memalign" => posix_memalign,
        "malloc_usable_size" => usable_size,
        _ => return None,
    })
}

impl Vm {
    /// A heap object, or 0 when it does not fit.
    pub(crate) fn heap_object(&mut self, st: &mut State, size: u64) -> u64 {
        if size > self.config.max_allocation {
            self.note(format!(
                "an allocation of {size} bytes {} is over the limit and returned null",
                self.place(st)
            ));
            return 0;
        }
        if st.mem.live_bytes.saturating_add(size) > self.config.max_path_memory {
            return 0;
        }
        let loc = self.current_loc(st);
        st.mem.allocate(size, Origin::Heap, loc).unwrap_or(0)
    }

    fn check_exhaustion(&self, st: &State, size: u64) -> Result<(), Termination> {
        if size <= self.config.max_allocation
            && st.mem.live_bytes.saturating_add(size) > self.config.max_path_memory
        {
            return Err(Fault::new(
                FaultKind::MemoryExhaustion,
                format!("the path holds {} bytes and asks for {size} more", st.mem.live_bytes),
            )
            .end());
        }
        Ok(())
    }
}

/// Returns null from an allocation function, with errno set where the program has one.
fn no_memory(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    const ENOMEM: u32 = 12;
    call.ret(st, Value::concrete(0))?;
    vm.set_errno(st, ENOMEM)
}

/// Returns an allocation, or null with errno set.
fn allocated(vm: &mut Vm, st: &mut State, call: &Call<'_>, p: u64) -> Result<Flow, Termination> {
    if p == 0 { no_memory(vm, st, call) } else { call.ret(st, Value::concrete(p)) }
}

fn size_arg(vm: &mut Vm, st: &mut State, call: &Call<'_>, i: usize) -> Result<u64, Termination> {
    vm.concretize(st, call.arg(st, i), 64, "an allocation size")
}

fn malloc(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let size = size_arg(vm, st, call, 0)?;
    vm.check_exhaustion(st, size)?;
    let p = vm.heap_object(st, size);
    allocated(vm, st, call, p)
}

/// The product of two sizes, as symbolic as they are; `None` when it overflows for the values chosen.
fn product(vm: &mut Vm, st: &mut State, call: &Call<'_>, i: usize) -> Result<Option<u64>, Termination> {
    let (a, b) = (size_arg(vm, st, call, i)?, size_arg(vm, st, call, i + 1)?);
    Ok(a.checked_mul(b))
}

fn calloc(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let p = match product(vm, st, call, 0)? {
        Some(size) => {
            vm.check_exhaustion(st, size)?;
            vm.heap_object(st, size)
        }
        None => 0,
    };
    allocated(vm, st, call, p)
}

fn realloc(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let size = size_arg(vm, st, call, 1)?;
    reallocate(vm, st, call, Some(size))
}

fn reallocarray(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let size = product(vm, st, call, 1)?;
    reallocate(vm, st, call, size)
}

fn reallocate(vm: &mut Vm, st: &mut State, call: &Call<'_>, size: Option<u64>) -> Result<Flow, Termination> {
    let old = vm.concretize(st, call.arg(st, 0), 64, "a pointer to reallocate")?;
    let Some(size) = size else { return no_memory(vm, st, call) };
    if old != 0 {
        check_heap_pointer(vm, st, old, "realloc")?;
    }
    vm.check_exhaustion(st, size)?;
    let new = vm.heap_object(st, size);
    if new == 0 {
        return no_memory(vm, st, call);
    }
    if old != 0 {
        let n = st.mem.object(old).map_or(0, |o| o.size).min(size);
        let bytes = read_object(&st.mem, old, 0, n);
        let o = st.mem.object_mut(new).expect("just allocated");
        for (i, b) in bytes.iter().enumerate() {
            o.set_byte(i as u64, *b);
        }
        st.mem.free(old);
    }
    call.ret(st, Value::concrete(new))
}

fn free(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let p = vm.concretize(st, call.arg(st, 0), 64, "a pointer to free")?;
    if p != 0 {
        check_heap_pointer(vm, st, p, "free")?;
        st.mem.free(p);
    }
    call.ret(st, Value::concrete(0))
}

/// `p` must be the first address of a live heap object.
fn check_heap_pointer(vm: &Vm, st: &State, p: u64, verb: &str) -> Result<(), Termination> {
    let invalid = |text: String| {
        let mut f = Fault::new(FaultKind::InvalidFree, text);
        f.address = Some(p);
        Err(f.end())
    };
    match st.mem.locate(p) {
        Place::Live { base } => {
            let o = st.mem.object(base).expect("located");
            let name = vm.object_name(o.origin);
            if o.origin != Origin::Heap {
                invalid(format!("{verb} of {name}, which was not allocated"))
            } else if base != p {
                invalid(format!("{verb} of a pointer {} bytes into {name}", p.wrapping_sub(base) as i64))
            } else {
                Ok(())
            }
        }
        Place::Freed => {
            let mut f = Fault::new(FaultKind::DoubleFree, format!("{verb} of memory that was freed before"));
            f.address = Some(p);
            Err(f.end())
        }
        _ => invalid(format!("{verb} of a pointer that was never allocated ({p:#x})")),
    }
}

fn aligned_alloc(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let align = size_arg(vm, st, call, 0)?;
    let size = size_arg(vm, st, call, 1)?;
    // Every object starts at a multiple of its slot's size, which is more than any alignment asked for.
    let p = if align.is_power_of_two() && align < 1 << 24 {
        vm.check_exhaustion(st, size)?;
        vm.heap_object(st, size)
    } else {
        0
    };
    call.ret(st, Value::concrete(p))
}

fn posix_memalign(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    const EINVAL: u64 = 22;
    const ENOMEM: u64 = 12;
    let align = size_arg(vm, st, call, 1)?;
    let size = size_arg(vm, st, call, 2)?;
    if !align.is_power_of_two() || !(8..1 << 24).contains(&align) {
        return call.ret(st, Value::concrete(EINVAL));
    }
    vm.check_exhaustion(st, size)?;
    let p = vm.heap_object(st, size);
    if p == 0 {
        return call.ret(st, Value::concrete(ENOMEM));
    }
    vm.store_value(st, call.arg(st, 0), Value::concrete(p), 64)?;
    call.ret(st, Value::concrete(0))
}

fn usable_size(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let p = vm.concretize(st, call.arg(st, 0), 64, "a pointer")?;
    let size = st.mem.object(p).map_or(0, |o| o.size);
    call.ret(st, Value::concrete(size))
}
