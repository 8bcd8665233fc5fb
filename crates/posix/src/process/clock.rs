//! Time: it begins at a fixed moment, advances by a microsecond with every look at a clock, as in native replays
//! (runtime/native/hooks.c), and jumps where the program sleeps. A
//! timer expires while the program sleeps or waits, never between two instructions.

use super::numbers::*;
use super::signals::{self, SIGALRM};
use super::{ProcessState, Result, errno, fault, int, is_null, long, ok};
use crate::user;
use forkwise_vm::{State, Termination, Value, Vm};

/// The beginning: 2024-01-01 00:00:00 UTC.
pub(crate) const EPOCH: u64 = 1_704_067_200;
/// What CLOCK_MONOTONIC and the uptime show then.
const UPTIME: u64 = 100_000;
const SECOND: u64 = 1_000_000_000;
/// No sleep is longer: about 290 years.
const FOREVER: u64 = i64::MAX as u64;

/// `ITIMER_REAL`: when it expires and after which time again, in nanoseconds of [`elapsed`]; 0: not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Timer {
    expires: u64,
    interval: u64,
}

/// Nanoseconds since the beginning: what was slept, looks at the clock included.
fn elapsed(st: &State) -> u64 {
    ProcessState::get(st).map_or(0, |p| p.slept)
}

/// A look at a clock takes a moment, so that a program which waits for time to pass sees it pass.
fn look(st: &mut State) {
    let p = ProcessState::of(st);
    p.slept = p.slept.saturating_add(1000).min(FOREVER);
}

/// Seconds and nanoseconds of the day's clock.
pub(crate) fn now(st: &State) -> (u64, u64) {
    let t = elapsed(st);
    (EPOCH + t / SECOND, t % SECOND)
}

/// Seconds since the machine was started.
pub(super) fn uptime(st: &State) -> u64 {
    UPTIME + elapsed(st) / SECOND
}

/// Nanoseconds of processor time.
pub(super) fn cpu_time(st: &State) -> u64 {
    st.instructions
}

/// Nanoseconds until a moment of CLOCK_MONOTONIC.
pub(super) fn until(st: &State, moment: u64) -> u64 {
    moment.saturating_sub(reading(st, Clock::Monotonic))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    Day,
    Monotonic,
    Cpu,
}

fn clock(id: i32) -> Option<Clock> {
    match id {
        // CLOCK_REALTIME, _COARSE, _ALARM, CLOCK_TAI
        0 | 5 | 8 | 11 => Some(Clock::Day),
        // CLOCK_MONOTONIC, _RAW, _COARSE, CLOCK_BOOTTIME, _ALARM
        1 | 4 | 6 | 7 | 9 => Some(Clock::Monotonic),
        // CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, and those of this process by number
        2 | 3 | -6 | -2 => Some(Clock::Cpu),
        _ => None,
    }
}

/// Nanoseconds that a clock shows.
fn reading(st: &State, clock: Clock) -> u64 {
    match clock {
        Clock::Day => EPOCH * SECOND + elapsed(st),
        Clock::Monotonic => UPTIME * SECOND + elapsed(st),
        Clock::Cpu => cpu_time(st),
    }
}

fn store_time(vm: &mut Vm, st: &mut State, at: Value, nanos: u64) -> Result {
    match user::write_words(vm, st, at, &[nanos / SECOND, nanos % SECOND])? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn gettime(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match clock(int(vm, st, args[0], "a clock")?) {
        Some(clock) => {
            look(st);
            let nanos = reading(st, clock);
            store_time(vm, st, args[1], nanos)
        }
        None => Ok(errno(EINVAL)),
    }
}

pub(super) fn getres(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let id = int(vm, st, args[0], "a clock")?;
    match clock(id) {
        Some(_) if is_null(args[1]) => Ok(ok(0)),
        // The coarse clocks tick a thousand times a second.
        Some(_) => store_time(vm, st, args[1], if matches!(id, 5 | 6) { 1_000_000 } else { 1 }),
        None => Ok(errno(EINVAL)),
    }
}

pub(super) fn settime(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let id = int(vm, st, args[0], "a clock")?;
    // Only the day's clock can be set at all.
    if id != 0 {
        return Ok(errno(EINVAL));
    }
    match read_time(vm, st, args[1])? {
        Time::Fault => fault(),
        Time::Invalid => Ok(errno(EINVAL)),
        Time::Nanos(_) => Ok(errno(EPERM)),
    }
}

/// A `struct timespec` of the program.
pub(super) enum Time {
    /// It cannot be read.
    Fault,
    /// Negative, or a billion nanoseconds and more.
    Invalid,
    /// In nanoseconds.
    Nanos(u64),
}

pub(super) fn read_time(vm: &mut Vm, st: &mut State, at: Value) -> std::result::Result<Time, Termination> {
    let Some([seconds, nanos]) = user::read_words(vm, st, at, "a time")? else { return Ok(Time::Fault) };
    if (seconds as i64) < 0 || nanos >= SECOND {
        return Ok(Time::Invalid);
    }
    Ok(Time::Nanos(seconds.saturating_mul(SECOND).saturating_add(nanos).min(FOREVER)))
}

/// Sleeps for so long, or until a timer's signal is delivered: then the result is what is left.
pub(super) fn sleep(st: &mut State, nanos: u64) -> Option<u64> {
    let begin = elapsed(st);
    let end = begin.saturating_add(nanos);
    loop {
        let timer = ProcessState::of(st).timer;
        if timer.expires == 0 || timer.expires > end {
            break;
        }
        advance_to(st, timer.expires);
        expire(st);
        if signals::would_interrupt(st) {
            return Some(end - elapsed(st));
        }
    }
    advance_to(st, end);
    None
}

/// Sleeps until a signal arrives; false if none ever will.
pub(super) fn wait_for_signal(st: &mut State) -> bool {
    for _ in 0..1000 {
        if signals::would_interrupt(st) {
            return true;
        }
        let timer = ProcessState::of(st).timer;
        if timer.expires == 0 {
            return false;
        }
        advance_to(st, timer.expires);
        expire(st);
    }
    false
}

fn advance_to(st: &mut State, moment: u64) {
    let more = moment.saturating_sub(elapsed(st));
    let p = ProcessState::of(st);
    p.slept = p.slept.saturating_add(more).min(FOREVER);
}

/// The timer's moment has come.
fn expire(st: &mut State) {
    let timer = &mut ProcessState::of(st).timer;
    timer.expires = if timer.interval == 0 { 0 } else { timer.expires.saturating_add(timer.interval) };
    signals::raise(st, SIGALRM);
}

pub(super) fn nanosleep(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match read_time(vm, st, args[0])? {
        Time::Fault => fault(),
        Time::Invalid => Ok(errno(EINVAL)),
        Time::Nanos(nanos) => sleep_and_tell(vm, st, nanos, args[1]),
    }
}

fn sleep_and_tell(vm: &mut Vm, st: &mut State, nanos: u64, rest: Value) -> Result {
    let Some(left) = sleep(st, nanos) else { return Ok(ok(0)) };
    if !is_null(rest) && user::write_words(vm, st, rest, &[left / SECOND, left % SECOND])?.is_none() {
        return fault();
    }
    Ok(errno(EINTR))
}

pub(super) fn clock_nanosleep(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const ABSOLUTE: i32 = 1;
    let id = int(vm, st, args[0], "a clock")?;
    let flags = int(vm, st, args[1], "flags")?;
    let Some(clock) = clock(id) else { return Ok(errno(EINVAL)) };
    // One's own thread cannot wait for its own processor time; clocks that only tell cannot be waited for.
    if matches!(id, 4..=6) {
        return Ok(errno(EOPNOTSUPP));
    }
    if id == 3 {
        return Ok(errno(EINVAL));
    }
    let nanos = match read_time(vm, st, args[2])? {
        Time::Fault => return fault(),
        Time::Invalid => return Ok(errno(EINVAL)),
        Time::Nanos(nanos) => nanos,
    };
    if flags & ABSOLUTE == 0 {
        return sleep_and_tell(vm, st, nanos, args[3]);
    }
    let left = nanos.saturating_sub(reading(st, clock));
    Ok(if sleep(st, left).is_some() { errno(EINTR) } else { ok(0) })
}

pub(super) fn gettimeofday(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    look(st);
    let (seconds, nanos) = now(st);
    if !is_null(args[0]) && user::write_words(vm, st, args[0], &[seconds, nanos / 1000])?.is_none() {
        return fault();
    }
    // The time zone: none.
    if !is_null(args[1]) && user::write_bytes(vm, st, args[1], &[0; 8])?.is_none() {
        return fault();
    }
    Ok(ok(0))
}

pub(super) fn time(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    look(st);
    let (seconds, _) = now(st);
    if !is_null(args[0]) && user::write_words(vm, st, args[0], &[seconds])?.is_none() {
        return fault();
    }
    Ok(ok(seconds))
}

/// In hundredths of a second.
pub(super) fn times(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const TICK: u64 = SECOND / 100;
    let used = cpu_time(st) / TICK;
    if !is_null(args[0]) && user::write_words(vm, st, args[0], &[used, 0, 0, 0])?.is_none() {
        return fault();
    }
    Ok(ok((UPTIME * SECOND + elapsed(st)) / TICK))
}

/// Time left of the timer, in nanoseconds.
fn left(st: &mut State) -> u64 {
    let expires = ProcessState::of(st).timer.expires;
    if expires == 0 { 0 } else { expires.saturating_sub(elapsed(st)).max(1) }
}

fn set_timer(st: &mut State, nanos: u64, interval: u64) {
    let expires = if nanos == 0 { 0 } else { elapsed(st).saturating_add(nanos) };
    ProcessState::of(st).timer = Timer { expires, interval: if nanos == 0 { 0 } else { interval } };
}

pub(super) fn alarm(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let seconds = long(vm, st, args[0], "a time")? as u32;
    // Rounded as the kernel does: at least one second while there is any time left.
    let before = left(st);
    let shown = (before + SECOND / 2) / SECOND;
    set_timer(st, u64::from(seconds) * SECOND, 0);
    Ok(ok(if before == 0 { 0 } else { shown.max(1) }))
}

/// Timers of processor time can be set, and never expire.
fn is_timer(which: i32) -> bool {
    (0..=2).contains(&which)
}

fn timer_words(st: &mut State, which: i32) -> [u64; 4] {
    const MICRO: u64 = 1000;
    if which != 0 {
        return [0; 4];
    }
    let interval = ProcessState::of(st).timer.interval;
    let left = left(st);
    [interval / SECOND, interval % SECOND / MICRO, left / SECOND, left % SECOND / MICRO]
}

pub(super) fn getitimer(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let which = int(vm, st, args[0], "a timer")?;
    if !is_timer(which) {
        return Ok(errno(EINVAL));
    }
    let words = timer_words(st, which);
    match user::write_words(vm, st, args[1], &words)? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn setitimer(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let which = int(vm, st, args[0], "a timer")?;
    let mut new = [0; 4];
    if !is_null(args[1]) {
        match user::read_words::<4>(vm, st, args[1], "a time")? {
            Some(words) => new = words,
            None => return fault(),
        }
    }
    let bad = |s: u64, us: u64| (s as i64) < 0 || us >= 1_000_000;
    if bad(new[0], new[1]) || bad(new[2], new[3]) || !is_timer(which) {
        return Ok(errno(EINVAL));
    }
    let words = timer_words(st, which);
    if which == 0 {
        let nanos = |s: u64, us: u64| s.saturating_mul(SECOND).saturating_add(us * 1000).min(FOREVER);
        set_timer(st, nanos(new[2], new[3]), nanos(new[0], new[1]));
    }
    if !is_null(args[2]) && user::write_words(vm, st, args[2], &words)?.is_none() {
        return fault();
    }
    Ok(ok(0))
}
