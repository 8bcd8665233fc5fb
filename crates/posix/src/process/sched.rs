//! Scheduling and synchronisation of the one thread there is. A futex that nobody else can wake is a deadlock: it is
//! reported as a hang, which is what it is natively.

use super::clock::{self, Time};
use super::numbers::*;
use super::{Result, errno, fault, ids, int, is_null, long, ok, signals};
use crate::user;
use forkwise_vm::{State, Value, Vm};

pub(super) fn set(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    let (policy, param) = match number {
        SCHED_SETPARAM => (0, args[1]),
        _ => (int(vm, st, args[1], "a policy")?, args[2]),
    };
    if is_null(param) || pid < 0 || policy < 0 {
        return Ok(errno(EINVAL));
    }
    let Some(bytes) = user::read(vm, st, param, 4)? else { return fault() };
    let priority = vm.value_from_bytes(&bytes, 32);
    let priority = vm.concretize(st, priority, 32, "a priority")?;
    Ok(match policy {
        _ if !ids::is_self(pid) => errno(ESRCH),
        // Real time needs a privilege.
        1 | 2 if (1..=99).contains(&priority) => errno(EPERM),
        0 | 3 | 5 if priority == 0 => ok(0),
        _ => errno(EINVAL),
    })
}

pub(super) fn get(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    if pid < 0 || (number == SCHED_GETPARAM && is_null(args[1])) {
        return Ok(errno(EINVAL));
    }
    if !ids::is_self(pid) {
        return Ok(errno(ESRCH));
    }
    if number == SCHED_GETPARAM && user::write_bytes(vm, st, args[1], &[0; 4])?.is_none() {
        return fault();
    }
    Ok(ok(0))
}

pub(super) fn priority_bound(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6]) -> Result {
    let policy = int(vm, st, args[0], "a policy")?;
    Ok(match policy {
        1 | 2 => ok(if number == SCHED_GET_PRIORITY_MAX { 99 } else { 1 }),
        0 | 3 | 5 | 6 => ok(0),
        _ => errno(EINVAL),
    })
}

pub(super) fn interval(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    if pid < 0 {
        return Ok(errno(EINVAL));
    }
    if !ids::is_self(pid) {
        return Ok(errno(ESRCH));
    }
    match user::write_words(vm, st, args[1], &[0, 4_000_000])? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn setaffinity(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    let size = long(vm, st, args[1], "a size")?.min(8);
    let Some(bytes) = user::read(vm, st, args[2], size)? else { return fault() };
    if !ids::is_self(pid) {
        return Ok(errno(ESRCH));
    }
    let first = match bytes.first() {
        Some(_) => {
            let v = vm.value_from_bytes(&bytes[..1], 8);
            vm.concretize(st, v, 8, "a set of processors")?
        }
        None => 0,
    };
    Ok(if first & 1 == 1 { ok(0) } else { errno(EINVAL) })
}

/// One processor. The kernel wants room for whole words.
pub(super) fn getaffinity(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    let size = long(vm, st, args[1], "a size")? as u32;
    if size == 0 || !size.is_multiple_of(8) {
        return Ok(errno(EINVAL));
    }
    if !ids::is_self(pid) {
        return Ok(errno(ESRCH));
    }
    match user::write_words(vm, st, args[2], &[1])? {
        Some(()) => Ok(ok(8)),
        None => fault(),
    }
}

pub(super) fn getcpu(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    for arg in args.iter().take(2) {
        if !is_null(*arg) && user::write_bytes(vm, st, *arg, &[0; 4])?.is_none() {
            return fault();
        }
    }
    Ok(ok(0))
}

pub(super) fn set_robust_list(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let size = long(vm, st, args[1], "a size")?;
    Ok(if size == 24 { ok(0) } else { errno(EINVAL) })
}

/// Every barrier is there already: there is one thread.
pub(super) fn membarrier(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const KNOWN: i32 = 0x7f;
    let command = int(vm, st, args[0], "a command")?;
    let flags = int(vm, st, args[1], "flags")?;
    Ok(match command {
        _ if flags != 0 => errno(EINVAL),
        0 => ok(KNOWN as u64),
        c if c > 0 && c.count_ones() == 1 && c & KNOWN != 0 => ok(0),
        _ => errno(EINVAL),
    })
}

pub(super) fn futex(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const WAIT: i32 = 0;
    const WAKE: i32 = 1;
    const REQUEUE: i32 = 3;
    const CMP_REQUEUE: i32 = 4;
    const WAIT_BITSET: i32 = 9;
    const WAKE_BITSET: i32 = 10;
    // FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME
    const FLAGS: i32 = 128 | 256;
    let op = int(vm, st, args[1], "a futex operation")? & !FLAGS;
    let address = long(vm, st, args[0], "an address")?;
    let waits = matches!(op, WAIT | WAIT_BITSET);
    let mut timeout = None;
    if waits && !is_null(args[3]) {
        match clock::read_time(vm, st, args[3])? {
            Time::Fault => return fault(),
            Time::Invalid => return Ok(errno(EINVAL)),
            Time::Nanos(nanos) => timeout = Some(nanos),
        }
    }
    if matches!(op, WAIT_BITSET | WAKE_BITSET) && int(vm, st, args[5], "a bit set")? == 0 {
        return Ok(errno(EINVAL));
    }
    if !matches!(op, WAIT | WAKE | REQUEUE | CMP_REQUEUE | WAIT_BITSET | WAKE_BITSET) {
        return Ok(errno(ENOSYS));
    }
    if !address.is_multiple_of(4) {
        return Ok(errno(EINVAL));
    }
    if matches!(op, WAKE | WAKE_BITSET | REQUEUE) {
        return Ok(ok(0));
    }
    let expected = if op == CMP_REQUEUE { args[5] } else { args[2] };
    let expected = int(vm, st, expected, "a futex value")?;
    let Some(bytes) = user::read(vm, st, Value::concrete(address), 4)? else { return fault() };
    let value = vm.value_from_bytes(&bytes, 32);
    let value = vm.concretize(st, value, 32, "a futex")? as i32;
    if value != expected {
        return Ok(errno(EAGAIN));
    }
    if op == CMP_REQUEUE {
        return Ok(ok(0));
    }
    match timeout {
        Some(moment) if op == WAIT_BITSET => {
            let left = clock::until(st, moment);
            clock::sleep(st, left);
            Ok(errno(ETIMEDOUT))
        }
        Some(nanos) => {
            clock::sleep(st, nanos);
            Ok(errno(ETIMEDOUT))
        }
        None if clock::wait_for_signal(st) => Ok(errno(EINTR)),
        None => Ok(signals::hangs("a futex")),
    }
}
