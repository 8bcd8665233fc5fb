//! Waiting for descriptors. Files, and the standard descriptors, are always ready; a wait that nothing can end is a
//! hang, and one with a time limit passes the time.

use super::files;
use super::numbers::*;
use super::{Result, clock, errno, fault, int, is_null, long, ok, signals, system};
use crate::user;
use forkwise_vm::{State, SysResult, Termination, Value, Vm};

const POLLIN: u16 = 1;
const POLLOUT: u16 = 4;
const POLLERR: u16 = 8;
const POLLHUP: u16 = 0x10;
const POLLNVAL: u16 = 0x20;
const POLLRDNORM: u16 = 0x40;
const POLLWRNORM: u16 = 0x100;

const MILLI: u64 = 1_000_000;

/// How long to wait, in nanoseconds; `None`: for ever.
type Wait = Option<u64>;

/// What ends a call before it began, as its result.
type Early<T> = std::result::Result<std::result::Result<T, SysResult>, Termination>;

/// Waits that found nothing ready: the time passes, a signal arrives, or the path hangs. The result is what the call
/// returns.
fn nothing_ready(st: &mut State, wait: Wait) -> SysResult {
    match wait {
        Some(nanos) => match clock::sleep(st, nanos) {
            Some(_) => errno(EINTR),
            None => ok(0),
        },
        None if clock::wait_for_signal(st) => errno(EINTR),
        None => signals::hangs("a call for descriptors that are not ready"),
    }
}

/// A time limit as a `struct timespec`; null is none.
fn timespec(vm: &mut Vm, st: &mut State, at: Value) -> Early<Wait> {
    if is_null(at) {
        return Ok(Ok(None));
    }
    Ok(match clock::read_time(vm, st, at)? {
        clock::Time::Fault => Err(errno(EFAULT)),
        clock::Time::Invalid => Err(errno(EINVAL)),
        clock::Time::Nanos(nanos) => Ok(Some(nanos)),
    })
}

/// The signals to block meanwhile; null changes nothing.
fn signal_set(vm: &mut Vm, st: &mut State, at: Value, size: u64) -> Early<Option<u64>> {
    if is_null(at) {
        return Ok(Ok(None));
    }
    if size != 8 {
        return Ok(Err(errno(EINVAL)));
    }
    Ok(match user::read_words(vm, st, at, "a signal set")? {
        Some([set]) => Ok(Some(set)),
        None => Err(errno(EFAULT)),
    })
}

/// A wait under another signal mask: what it lets through ends it.
fn under_mask(st: &mut State, mask: Option<u64>, wait: impl FnOnce(&mut State) -> SysResult) -> SysResult {
    let Some(mask) = mask else { return wait(st) };
    let before = signals::mask(st);
    signals::set_mask(st, mask);
    let result = wait(st);
    if signals::would_interrupt(st) {
        signals::restore_after_delivery(st, before);
    } else {
        signals::set_mask(st, before);
    }
    result
}

pub(super) fn poll(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6]) -> Result {
    let at = long(vm, st, args[0], "an address")?;
    let count = long(vm, st, args[1], "a count")? as u32 as u64;
    let (wait, mask) = if number == PPOLL {
        let wait = match timespec(vm, st, args[2])? {
            Ok(wait) => wait,
            Err(result) => return Ok(result),
        };
        let size = long(vm, st, args[4], "a size")?;
        match signal_set(vm, st, args[3], size)? {
            Ok(mask) => (wait, mask),
            Err(result) => return Ok(result),
        }
    } else {
        let limit = int(vm, st, args[2], "a time limit")?;
        (u64::try_from(limit).ok().map(|ms| ms * MILLI), None)
    };
    if count > system::limit(st, system::OPEN_FILES).0 {
        return Ok(errno(EINVAL));
    }
    let mut ready = 0;
    let mut results = Vec::new();
    for i in 0..count {
        let Some(bytes) = user::read(vm, st, Value::concrete(at.wrapping_add(8 * i)), 8)? else {
            return fault();
        };
        let entry = vm.value_from_bytes(&bytes, 64);
        let entry = vm.concretize(st, entry, 64, "a descriptor to wait for")?;
        let (fd, events) = (entry as i32, (entry >> 32) as u16);
        let revents = match files::readiness(st, fd) {
            _ if fd < 0 => 0,
            None => POLLNVAL,
            Some(r) => {
                let mut now = 0;
                now |= if r.readable { POLLIN | POLLRDNORM } else { 0 };
                now |= if r.writable { POLLOUT | POLLWRNORM } else { 0 };
                now |= if r.hung_up { POLLHUP } else { 0 };
                now |= if r.broken { POLLERR } else { 0 };
                now & (events | POLLERR | POLLHUP)
            }
        };
        ready += u64::from(revents != 0);
        results.push(revents);
    }
    for (i, revents) in results.iter().enumerate() {
        let to = Value::concrete(at.wrapping_add(8 * i as u64 + 6));
        if user::write_bytes(vm, st, to, &revents.to_le_bytes())?.is_none() {
            return fault();
        }
    }
    Ok(under_mask(st, mask, |st| match ready {
        0 => nothing_ready(st, wait),
        n => ok(n),
    }))
}

/// The time limit of `select`, whose microseconds may be more than a million.
fn timeval(vm: &mut Vm, st: &mut State, at: Value) -> Early<Wait> {
    if is_null(at) {
        return Ok(Ok(None));
    }
    let Some([seconds, micros]) = user::read_words(vm, st, at, "a time limit")? else {
        return Ok(Err(errno(EFAULT)));
    };
    if (seconds as i64) < 0 || (micros as i64) < 0 {
        return Ok(Err(errno(EINVAL)));
    }
    let nanos = seconds.saturating_mul(1000 * MILLI).saturating_add(micros.saturating_mul(1000));
    Ok(Ok(Some(nanos.min(i64::MAX as u64))))
}

pub(super) fn select(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6]) -> Result {
    // The kernel looks at as many descriptors as a process's table has room for; 64 at first.
    const TABLE: i32 = 64;
    let n = int(vm, st, args[0], "a number of descriptors")?;
    let wait = if number == PSELECT6 { timespec(vm, st, args[4])? } else { timeval(vm, st, args[4])? };
    let wait = match wait {
        Ok(wait) => wait,
        Err(result) => return Ok(result),
    };
    let mut mask = None;
    if number == PSELECT6 && !is_null(args[5]) {
        let Some([set, size]) = user::read_words(vm, st, args[5], "a signal set")? else { return fault() };
        match signal_set(vm, st, Value::concrete(set), size)? {
            Ok(found) => mask = found,
            Err(result) => return Ok(result),
        }
    }
    if n < 0 {
        return Ok(errno(EINVAL));
    }
    let n = n.min(files::highest(st).max(TABLE - 1) + 1);
    let words = (n as usize).div_ceil(64);
    let mut sets: [Option<Vec<u64>>; 3] = [None, None, None];
    for (set, arg) in sets.iter_mut().zip(&args[1..4]) {
        if is_null(*arg) {
            continue;
        }
        let mut found = Vec::new();
        let at = long(vm, st, *arg, "an address")?;
        for i in 0..words as u64 {
            match user::read_words(vm, st, Value::concrete(at.wrapping_add(8 * i)), "a descriptor set")? {
                Some([word]) => found.push(word),
                None => return fault(),
            }
        }
        *set = Some(found);
    }
    let mut ready = 0;
    for fd in 0..n {
        let (word, bit) = (fd as usize / 64, 1u64 << (fd % 64));
        if !sets.iter().flatten().any(|s| s[word] & bit != 0) {
            continue;
        }
        let Some(r) = files::readiness(st, fd) else { return Ok(errno(EBADF)) };
        let now = [r.readable || r.hung_up, r.writable || r.broken, false];
        for (set, now) in sets.iter_mut().zip(now) {
            if let Some(set) = set
                && set[word] & bit != 0
            {
                if now {
                    ready += 1;
                } else {
                    set[word] &= !bit;
                }
            }
        }
    }
    for (set, arg) in sets.iter().zip(&args[1..4]) {
        if let Some(set) = set
            && user::write_words(vm, st, *arg, set)?.is_none()
        {
            return fault();
        }
    }
    Ok(under_mask(st, mask, |st| match ready {
        0 => nothing_ready(st, wait),
        n => ok(n),
    }))
}
