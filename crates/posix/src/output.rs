//! The standard descriptors: input is empty, output and errors are captured in the state, symbolic bytes included.

use crate::numbers::{EBADF, ENOTTY, ESPIPE};
use crate::process::Readiness;
use crate::{errno, ok};
use forkwise_vm::{Byte, State, SysResult, Termination, Value, Vm};

type Result = std::result::Result<SysResult, Termination>;

fn descriptor(vm: &mut Vm, st: &mut State, v: Value) -> std::result::Result<u32, Termination> {
    Ok(vm.concretize(st, v, 64, "a file descriptor")? as u32)
}

fn emit(vm: &mut Vm, st: &mut State, fd: u32, ptr: Value, n: u64) -> std::result::Result<(), Termination> {
    let bytes = vm.load_bytes(st, ptr, n)?;
    let mut symbolic = Vec::new();
    let plain = bytes
        .iter()
        .enumerate()
        .map(|(i, b)| match b {
            Byte::Concrete(c) => *c,
            Byte::Symbolic(e) => {
                symbolic.push((i as u32, *e));
                0
            }
        })
        .collect();
    st.write_output(fd, plain, symbolic);
    Ok(())
}

pub(crate) fn read(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match descriptor(vm, st, args[0])? {
        0 => Ok(ok(0)),
        _ => Ok(errno(EBADF)),
    }
}

pub(crate) fn readv(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    read(vm, st, args)
}

pub(crate) fn write(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let fd = descriptor(vm, st, args[0])?;
    if !(1..=2).contains(&fd) {
        return Ok(errno(EBADF));
    }
    let n = vm.concretize(st, args[2], 64, "a length")?;
    emit(vm, st, fd, args[1], n)?;
    Ok(ok(n))
}

pub(crate) fn writev(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let fd = descriptor(vm, st, args[0])?;
    if !(1..=2).contains(&fd) {
        return Ok(errno(EBADF));
    }
    let list = vm.concretize(st, args[1], 64, "an address")?;
    let count = vm.concretize(st, args[2], 64, "a count")?;
    // All lengths first: making one concrete may fork, and the call is then executed again from its start.
    let mut parts = Vec::new();
    for i in 0..count.min(1024) {
        let base = vm.load_value(st, Value::concrete(list + 16 * i), 64)?;
        let len = vm.load_value(st, Value::concrete(list + 16 * i + 8), 64)?;
        let len = vm.concretize(st, len, 64, "a length")?;
        parts.push((base, len));
    }
    let mut total = 0;
    for (base, len) in parts {
        emit(vm, st, fd, base, len)?;
        total += len;
    }
    Ok(ok(total))
}

pub(crate) fn close_or_fcntl(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match descriptor(vm, st, args[0])? {
        0..=2 => Ok(ok(0)),
        _ => Ok(errno(EBADF)),
    }
}

pub(crate) fn lseek(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match descriptor(vm, st, args[0])? {
        0..=2 => Ok(errno(ESPIPE)),
        _ => Ok(errno(EBADF)),
    }
}

/// Not a terminal: output is buffered as it is when a native replay writes to a pipe.
pub(crate) fn ioctl(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match descriptor(vm, st, args[0])? {
        0..=2 => Ok(errno(ENOTTY)),
        _ => Ok(errno(EBADF)),
    }
}

/// The standard descriptors are pipes.
pub(crate) fn fstat(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const S_IFIFO: u32 = 0o010000;
    if descriptor(vm, st, args[0])? > 2 {
        return Ok(errno(EBADF));
    }
    let mut stat = [0u8; 144];
    stat[16..24].copy_from_slice(&1u64.to_le_bytes());
    stat[24..28].copy_from_slice(&(S_IFIFO | 0o600).to_le_bytes());
    stat[56..64].copy_from_slice(&4096u64.to_le_bytes());
    let bytes: Vec<Byte> = stat.iter().map(|b| Byte::Concrete(*b)).collect();
    vm.store_bytes(st, args[1], &bytes)?;
    Ok(ok(0))
}

/// What a descriptor is ready for; `None` when it is not open.
pub(crate) fn readiness(_: &State, fd: i32) -> Option<Readiness> {
    match fd {
        0 => Some(Readiness { readable: true, writable: true, ..Readiness::default() }),
        1 | 2 => Some(Readiness { writable: true, ..Readiness::default() }),
        _ => None,
    }
}

/// The highest descriptor that is open; -1: none.
pub(crate) fn highest(_: &State) -> i32 {
    2
}

/// What a descriptor's file holds, for a map: bytes from `offset` on, at most `size`. The error is why not.
pub(crate) fn map_file(
    _: &State,
    fd: i32,
    _offset: u64,
    _size: u64,
    _shared_write: bool,
) -> std::result::Result<Vec<Byte>, i64> {
    const ENODEV: i64 = 19;
    Err(if (0..=2).contains(&fd) { ENODEV } else { EBADF })
}
