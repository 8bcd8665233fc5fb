//! The process: exit, signals, anonymous memory, clocks, random numbers. All of it deterministic.

use crate::numbers::{EINVAL, ENOMEM};
use crate::{errno, ok};
use forkwise_vm::{Byte, Fault, FaultKind, Origin, State, SysResult, Termination, Value, Vm};

type Result = std::result::Result<SysResult, Termination>;

pub(crate) const PID: u64 = 1000;
pub(crate) const UID: u64 = 1000;

/// The virtual clock starts here (2024-01-01 00:00:00 UTC) and advances one microsecond per thousand instructions.
pub(crate) const EPOCH: u64 = 1_704_067_200;

pub(crate) fn exit(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let status = vm.exit_status(st, args[0]);
    Ok(SysResult::End(vm.exited(st, status)))
}

pub(crate) fn arch_prctl(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const ARCH_SET_FS: u64 = 0x1002;
    if args[0] != Value::concrete(ARCH_SET_FS) {
        return Ok(errno(EINVAL));
    }
    st.thread_pointer = vm.concretize(st, args[1], 64, "a thread pointer")?;
    Ok(ok(0))
}

pub(crate) fn mmap(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const MAP_ANONYMOUS: u64 = 0x20;
    let size = vm.concretize(st, args[1], 64, "a mapping's size")?;
    let flags = vm.eval_value(st, args[3]);
    if flags & MAP_ANONYMOUS == 0 || size == 0 {
        return Ok(errno(EINVAL));
    }
    if size > vm.config.max_allocation || st.mem.live_bytes.saturating_add(size) > vm.config.max_path_memory {
        return Ok(errno(ENOMEM));
    }
    match st.mem.allocate(size.next_multiple_of(4096), Origin::Engine, 0) {
        Some(p) => Ok(ok(p)),
        None => Ok(errno(ENOMEM)),
    }
}

pub(crate) fn munmap(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let p = vm.concretize(st, args[0], 64, "a mapping's address")?;
    // A mapping goes away as a whole; the end of one that is cut off stays readable.
    if st.mem.object(p).is_some_and(|o| o.base == p && o.origin == Origin::Engine) {
        st.mem.free(p);
    }
    Ok(ok(0))
}

pub(crate) fn sigaction(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    // Registration succeeds; the old action is the default. Delivery of handled signals is not modelled.
    if args[2] != Value::concrete(0) {
        vm.store_bytes(st, args[2], &[Byte::Concrete(0); 32])?;
    }
    Ok(ok(0))
}

/// Signals that a program sends to itself; without handlers they end it or are ignored.
pub(crate) fn kill(vm: &mut Vm, st: &mut State, signal: Value) -> Result {
    const SIGABRT: u64 = 6;
    // SIGCHLD, SIGCONT, SIGURG, SIGWINCH
    const IGNORED: [u64; 4] = [17, 18, 23, 28];
    let n = vm.concretize(st, signal, 64, "a signal")? & 0xff;
    match n {
        0 => Ok(ok(0)),
        _ if IGNORED.contains(&n) => Ok(ok(0)),
        SIGABRT => Ok(SysResult::End(Fault::new(FaultKind::Abort, "abort failure").end())),
        _ => Ok(SysResult::End(
            Fault::new(FaultKind::Abort, format!("the program ended itself with signal {n}")).end(),
        )),
    }
}

pub(crate) const SIGPIPE: u64 = 13;

/// A signal that the kernel sends because of what a system call does: how the path ends, or nothing where the call
/// goes on to fail.
pub(crate) fn raise_from_kernel(
    vm: &mut Vm,
    st: &mut State,
    signal: u64,
) -> std::result::Result<Option<Termination>, Termination> {
    match kill(vm, st, Value::concrete(signal))? {
        SysResult::End(t) => Ok(Some(t)),
        _ => Ok(None),
    }
}

pub(crate) fn now(st: &State) -> (u64, u64) {
    let micros = st.instructions / 1000;
    (EPOCH + micros / 1_000_000, micros % 1_000_000)
}

fn store_pair(
    vm: &mut Vm,
    st: &mut State,
    at: Value,
    a: u64,
    b: u64,
) -> std::result::Result<(), Termination> {
    let bytes: Vec<Byte> = a.to_le_bytes().into_iter().chain(b.to_le_bytes()).map(Byte::Concrete).collect();
    vm.store_bytes(st, at, &bytes)
}

pub(crate) fn clock_gettime(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let (s, us) = now(st);
    store_pair(vm, st, args[1], s, us * 1000)?;
    Ok(ok(0))
}

pub(crate) fn gettimeofday(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let (s, us) = now(st);
    if args[0] != Value::concrete(0) {
        store_pair(vm, st, args[0], s, us)?;
    }
    Ok(ok(0))
}

/// Numbers that look random and are the same in every run.
pub(crate) fn random_bytes(seed: u64, n: u64) -> Vec<u8> {
    let mut x = seed ^ 0x9e37_79b9_7f4a_7c15;
    (0..n)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        })
        .collect()
}

pub(crate) fn getrandom(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let n = vm.concretize(st, args[1], 64, "a length")?.min(256);
    let bytes: Vec<Byte> = random_bytes(st.instructions, n).into_iter().map(Byte::Concrete).collect();
    vm.store_bytes(st, args[0], &bytes)?;
    Ok(ok(n))
}
