//! Signals: dispositions, masks, and what arrives. A signal is noted when it is sent and acted upon at the end of the
//! system call, as the kernel does it; [`next`] says what then happens: an end, nothing, or a call of the handler by the
//! virtual machine. Only the program itself and its timer send signals. SIGABRT without a handler is the program's
//! `abort`, a finding; every other end by a signal is what the program wanted.

use super::numbers::*;
use super::{ProcessState, Result, clock, errno, fault, ids, int, is_null, long, ok};
use crate::open::forever;
use crate::user;
use forkwise_vm::{Byte, Delivery, Fault, FaultKind, Origin, State, SysResult, Termination, Value, Vm};
use std::rc::Rc;

pub(crate) const SIGABRT: u32 = 6;
pub(crate) const SIGKILL: u32 = 9;
pub(crate) const SIGPIPE: u32 = 13;
pub(crate) const SIGALRM: u32 = 14;
pub(crate) const SIGSTOP: u32 = 19;
const LAST: u32 = 64;
/// From here on each sending counts; below, a signal is pending or not.
const FIRST_REAL_TIME: u32 = 32;

const SA_SIGINFO: u64 = 4;
const SA_NODEFER: u64 = 0x4000_0000;
const SA_RESETHAND: u64 = 0x8000_0000;
/// What the kernel remembers of an action's flags; `SA_RESTORER` and the C library's others included.
const SA_KNOWN: u64 = 0xdc00_0c07;

const SIG_DFL: u64 = 0;
const SIG_IGN: u64 = 1;

/// Size of the kernel's signal sets, which system calls insist on.
const SET_SIZE: u64 = 8;
/// Size of `siginfo_t`.
const INFO_SIZE: usize = 128;
/// More than any `ucontext_t`; all zero.
const CONTEXT_SIZE: u64 = 1024;

/// A disposition, as in the kernel's `struct sigaction`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Action {
    handler: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

/// A signal on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pending {
    signal: u32,
    info: [u8; INFO_SIZE],
}

/// Dispositions, blocked and pending signals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// Dispositions other than the default, by signal.
    actions: Rc<Vec<(u32, Action)>>,
    /// Blocked signals.
    blocked: u64,
    /// Signals on their way, in the order in which they were sent.
    pending: Rc<Vec<Pending>>,
    /// The mask to return to after `sigsuspend`.
    suspended: Option<u64>,
    /// `sigaltstack`: address, flags, size.
    stack: (u64, u32, u64),
}

fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// These cannot be caught, blocked or ignored.
fn kernel_only() -> u64 {
    bit(SIGKILL) | bit(SIGSTOP)
}

/// What happens without a handler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unhandled {
    End,
    Ignore,
    Stop,
}

fn default_action(signal: u32) -> Unhandled {
    match signal {
        // SIGCHLD, SIGCONT, SIGURG, SIGWINCH
        17 | 18 | 23 | 28 => Unhandled::Ignore,
        // SIGTSTP, SIGTTIN, SIGTTOU do nothing in a session without a terminal.
        20..=22 => Unhandled::Ignore,
        SIGSTOP => Unhandled::Stop,
        _ => Unhandled::End,
    }
}

impl Signals {
    fn action(&self, signal: u32) -> Action {
        self.actions.iter().find(|(s, _)| *s == signal).map(|(_, a)| *a).unwrap_or_default()
    }

    fn set_action(&mut self, signal: u32, action: Action) {
        let actions = Rc::make_mut(&mut self.actions);
        actions.retain(|(s, _)| *s != signal);
        if action != Action::default() {
            actions.push((signal, action));
        }
        if self.is_ignored(signal) {
            self.drop_pending(signal);
        }
    }

    fn is_ignored(&self, signal: u32) -> bool {
        match self.action(signal).handler {
            SIG_IGN => true,
            SIG_DFL => default_action(signal) == Unhandled::Ignore,
            _ => false,
        }
    }

    fn drop_pending(&mut self, signal: u32) {
        if self.pending.iter().any(|p| p.signal == signal) {
            Rc::make_mut(&mut self.pending).retain(|p| p.signal != signal);
        }
    }

    fn send(&mut self, signal: u32, info: [u8; INFO_SIZE]) {
        // What is ignored is forgotten, unless it is blocked: it may be wanted by then.
        if self.is_ignored(signal) && self.blocked & bit(signal) == 0 {
            return;
        }
        if signal < FIRST_REAL_TIME && self.pending.iter().any(|p| p.signal == signal) {
            return;
        }
        Rc::make_mut(&mut self.pending).push(Pending { signal, info });
    }

    fn pending_set(&self) -> u64 {
        self.pending.iter().fold(0, |set, p| set | bit(p.signal))
    }

    /// Takes the signal of a set that is next: the lowest, and of one signal the oldest.
    fn take(&mut self, set: u64) -> Option<Pending> {
        let among = set & self.pending_set();
        if among == 0 {
            return None;
        }
        let signal = among.trailing_zeros() + 1;
        let at = self.pending.iter().position(|p| p.signal == signal)?;
        Some(Rc::make_mut(&mut self.pending).remove(at))
    }
}

/// `siginfo_t` of a signal that this process sends itself.
fn info(signal: u32, code: i32) -> [u8; INFO_SIZE] {
    let mut info = [0; INFO_SIZE];
    info[0..4].copy_from_slice(&signal.to_le_bytes());
    info[8..12].copy_from_slice(&code.to_le_bytes());
    info[16..20].copy_from_slice(&(ids::PID as u32).to_le_bytes());
    info[20..24].copy_from_slice(&(ids::UID as u32).to_le_bytes());
    info
}

/// Sends the process a signal on the kernel's behalf (SIGPIPE, SIGXFSZ); it arrives when the system call ends.
pub(crate) fn raise(st: &mut State, signal: u32) {
    const SI_KERNEL: i32 = 128;
    let mut info = info(signal, SI_KERNEL);
    info[16..24].fill(0);
    ProcessState::of(st).signals.send(signal, info);
}

/// Is there a signal that a waiting system call returns for?
pub(super) fn would_interrupt(st: &State) -> bool {
    ProcessState::get(st).is_some_and(|p| p.signals.pending_set() & !p.signals.blocked != 0)
}

/// The blocked signals.
pub(crate) fn mask(st: &State) -> u64 {
    ProcessState::get(st).map_or(0, |p| p.signals.blocked)
}

/// Blocks these signals and no others.
pub(crate) fn set_mask(st: &mut State, mask: u64) {
    if self::mask(st) != mask {
        ProcessState::of(st).signals.blocked = mask & !kernel_only();
    }
}

/// This mask is blocked again when what is pending now has been delivered.
pub(super) fn restore_after_delivery(st: &mut State, mask: u64) {
    ProcessState::of(st).signals.suspended = Some(mask);
}

/// A path that waits for what never comes.
pub(super) fn hangs(why: &str) -> SysResult {
    SysResult::End(forever(why))
}

/// The next signal that arrives: its handler, or the end.
pub(super) fn next(vm: &mut Vm, st: &mut State) -> std::result::Result<Option<Delivery>, Termination> {
    loop {
        let Some(p) = ProcessState::get(st) else { return Ok(None) };
        if p.signals.pending.is_empty() && p.signals.suspended.is_none() {
            return Ok(None);
        }
        let signals = &mut ProcessState::of(st).signals;
        let Some(pending) = signals.take(!signals.blocked) else {
            // Nothing arrived after all.
            if let Some(mask) = signals.suspended.take() {
                signals.blocked = mask;
            }
            return Ok(None);
        };
        let action = signals.action(pending.signal);
        match action.handler {
            SIG_IGN => {}
            SIG_DFL => match default_action(pending.signal) {
                Unhandled::Ignore => {}
                Unhandled::Stop => {
                    return Err(forever("a program that stopped itself"));
                }
                Unhandled::End => return Err(end(vm, st, pending.signal)),
            },
            _ => return handler(vm, st, &pending, action).map(Some),
        }
    }
}

/// The end by a signal.
fn end(vm: &mut Vm, st: &mut State, signal: u32) -> Termination {
    if signal == SIGABRT {
        return Fault::new(FaultKind::Abort, "abort failure").end();
    }
    vm.apply_preferences(st);
    Termination::Signal(signal as i32)
}

/// Prepares the call of a handler: the mask while it runs, its arguments.
fn handler(
    vm: &mut Vm,
    st: &mut State,
    pending: &Pending,
    action: Action,
) -> std::result::Result<Delivery, Termination> {
    let mut objects = Vec::new();
    let mut args = vec![Value::concrete(u64::from(pending.signal))];
    if action.flags & SA_SIGINFO != 0 {
        for size in [INFO_SIZE as u64, CONTEXT_SIZE] {
            let Some(address) = st.mem.allocate(size, Origin::Engine, 0) else {
                let text = "no room for a signal's description";
                return Err(Fault::new(FaultKind::MemoryExhaustion, text).end());
            };
            objects.push(address);
            args.push(Value::concrete(address));
        }
        let bytes: Vec<Byte> = pending.info.iter().map(|b| Byte::Concrete(*b)).collect();
        vm.store_bytes(st, args[1], &bytes)?;
    }
    let signals = &mut ProcessState::of(st).signals;
    let before = signals.suspended.take().unwrap_or(signals.blocked);
    let own = if action.flags & SA_NODEFER == 0 { bit(pending.signal) } else { 0 };
    signals.blocked = (signals.blocked | action.mask | own) & !kernel_only();
    if action.flags & SA_RESETHAND != 0 {
        signals.set_action(pending.signal, Action { handler: SIG_DFL, ..action });
    }
    Ok(Delivery { handler: action.handler, args, objects, mask: before })
}

/// `abort` unblocks SIGABRT and sends it: only a handler makes a difference.
pub(super) fn abort_handler(
    vm: &mut Vm,
    st: &mut State,
) -> std::result::Result<Option<Delivery>, Termination> {
    let Some(action) = ProcessState::get(st).map(|p| p.signals.action(SIGABRT)) else { return Ok(None) };
    if matches!(action.handler, SIG_DFL | SIG_IGN) {
        return Ok(None);
    }
    let pending = Pending { signal: SIGABRT, info: info(SIGABRT, SI_TKILL) };
    handler(vm, st, &pending, action).map(Some)
}

pub(super) fn sigaction(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let signal = int(vm, st, args[0], "a signal")? as u32;
    if long(vm, st, args[3], "a size")? != SET_SIZE {
        return Ok(errno(EINVAL));
    }
    let mut new = None;
    if !is_null(args[1]) {
        let Some([handler, flags, restorer, mask]) = user::read_words(vm, st, args[1], "a signal action")?
        else {
            return fault();
        };
        new = Some(Action { handler, flags: flags & SA_KNOWN, restorer, mask: mask & !kernel_only() });
    }
    if !(1..=LAST).contains(&signal) || (new.is_some() && kernel_only() & bit(signal) != 0) {
        return Ok(errno(EINVAL));
    }
    let signals = &mut ProcessState::of(st).signals;
    let old = signals.action(signal);
    if let Some(new) = new {
        signals.set_action(signal, new);
    }
    if !is_null(args[2]) {
        let words = [old.handler, old.flags, old.restorer, old.mask];
        if user::write_words(vm, st, args[2], &words)?.is_none() {
            return fault();
        }
    }
    Ok(ok(0))
}

pub(super) fn sigprocmask(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    if long(vm, st, args[3], "a size")? != SET_SIZE {
        return Ok(errno(EINVAL));
    }
    let old = mask(st);
    if !is_null(args[1]) {
        let Some([set]) = user::read_words(vm, st, args[1], "a signal set")? else { return fault() };
        let new = match int(vm, st, args[0], "how to block signals")? {
            0 => old | set,
            1 => old & !set,
            2 => set,
            _ => return Ok(errno(EINVAL)),
        };
        set_mask(st, new);
    }
    if !is_null(args[2]) && user::write_words(vm, st, args[2], &[old])?.is_none() {
        return fault();
    }
    Ok(ok(0))
}

pub(super) fn sigpending(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let size = long(vm, st, args[1], "a size")?;
    if size > SET_SIZE {
        return Ok(errno(EINVAL));
    }
    let signals = &ProcessState::of(st).signals;
    let set = (signals.pending_set() & signals.blocked).to_le_bytes();
    match user::write_bytes(vm, st, args[0], &set[..size as usize])? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn sigsuspend(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    if long(vm, st, args[1], "a size")? != SET_SIZE {
        return Ok(errno(EINVAL));
    }
    let Some([set]) = user::read_words(vm, st, args[0], "a signal set")? else { return fault() };
    let before = mask(st);
    set_mask(st, set);
    if !clock::wait_for_signal(st) {
        return Ok(hangs("a call for a signal"));
    }
    restore_after_delivery(st, before);
    Ok(errno(EINTR))
}

pub(super) fn pause(_: &mut Vm, st: &mut State) -> Result {
    if !clock::wait_for_signal(st) {
        return Ok(hangs("a call for a signal"));
    }
    Ok(errno(EINTR))
}

pub(super) fn sigtimedwait(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    if long(vm, st, args[3], "a size")? != SET_SIZE {
        return Ok(errno(EINVAL));
    }
    let Some([set]) = user::read_words(vm, st, args[0], "a signal set")? else { return fault() };
    let mut timeout = None;
    if !is_null(args[2]) {
        match clock::read_time(vm, st, args[2])? {
            clock::Time::Fault => return fault(),
            clock::Time::Invalid => return Ok(errno(EINVAL)),
            clock::Time::Nanos(nanos) => timeout = Some(nanos),
        }
    }
    let set = set & !kernel_only();
    if ProcessState::of(st).signals.pending_set() & set == 0 {
        let interrupted = match timeout {
            Some(nanos) => clock::sleep(st, nanos).is_some(),
            None => clock::wait_for_signal(st),
        };
        if ProcessState::of(st).signals.pending_set() & set == 0 {
            return Ok(match timeout {
                _ if interrupted => errno(EINTR),
                Some(_) => errno(EAGAIN),
                None => hangs("a call for a signal"),
            });
        }
    }
    let Some(pending) = ProcessState::of(st).signals.take(set) else { return Ok(errno(EAGAIN)) };
    if !is_null(args[1]) && user::write_bytes(vm, st, args[1], &pending.info)?.is_none() {
        return fault();
    }
    Ok(ok(u64::from(pending.signal)))
}

pub(super) fn sigqueueinfo(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    let signal = int(vm, st, args[1], "a signal")?;
    let Some(words) = user::read_words::<16>(vm, st, args[2], "a signal's description")? else {
        return fault();
    };
    if pid as u64 != ids::PID {
        return Ok(errno(ESRCH));
    }
    let mut info = [0; INFO_SIZE];
    for (bytes, word) in info.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    info[0..4].copy_from_slice(&signal.to_le_bytes());
    send(st, signal, info)
}

pub(super) fn sigaltstack(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const DISABLE: u32 = 2;
    const AUTODISARM: u32 = 1 << 31;
    const SMALLEST: u64 = 2048;
    let mut new = None;
    if !is_null(args[0]) {
        let Some([address, flags, size]) = user::read_words(vm, st, args[0], "a signal stack")? else {
            return fault();
        };
        new = Some((address, flags as u32, size));
    }
    let old = ProcessState::of(st).signals.stack;
    if let Some((address, flags, size)) = new {
        match flags & !AUTODISARM {
            DISABLE => ProcessState::of(st).signals.stack = (0, DISABLE, 0),
            0 | 1 if size < SMALLEST => return Ok(errno(ENOMEM)),
            0 | 1 => ProcessState::of(st).signals.stack = (address, flags & AUTODISARM, size),
            _ => return Ok(errno(EINVAL)),
        }
    }
    if !is_null(args[1]) {
        // None at first.
        let flags = if old.2 == 0 { DISABLE } else { old.1 };
        if user::write_words(vm, st, args[1], &[old.0, u64::from(flags), old.2])?.is_none() {
            return fault();
        }
    }
    Ok(ok(0))
}

fn send(st: &mut State, signal: i32, info: [u8; INFO_SIZE]) -> Result {
    match signal {
        0 => {}
        1..=64 => ProcessState::of(st).signals.send(signal as u32, info),
        _ => return Ok(errno(EINVAL)),
    }
    Ok(ok(0))
}

fn send_from_user(st: &mut State, signal: i32, code: i32) -> Result {
    send(st, signal, info(signal as u32, code))
}

/// There is this process, alone in its group; and the one that is the parent of all, which is another user's.
pub(super) fn kill(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const SI_USER: i32 = 0;
    let pid = int(vm, st, args[0], "a process")?;
    let signal = int(vm, st, args[1], "a signal")?;
    match pid {
        0 => send_from_user(st, signal, SI_USER),
        _ if pid.unsigned_abs() as u64 == ids::PID => send_from_user(st, signal, SI_USER),
        1 => Ok(errno(EPERM)),
        _ => Ok(errno(ESRCH)),
    }
}

const SI_TKILL: i32 = -6;

pub(super) fn tkill(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let thread = int(vm, st, args[0], "a thread")?;
    let signal = int(vm, st, args[1], "a signal")?;
    match thread {
        _ if thread <= 0 => Ok(errno(EINVAL)),
        _ if thread as u64 == ids::PID => send_from_user(st, signal, SI_TKILL),
        _ => Ok(errno(ESRCH)),
    }
}

pub(super) fn tgkill(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let group = int(vm, st, args[0], "a process")?;
    if group <= 0 {
        return Ok(errno(EINVAL));
    }
    let rest = [args[1], args[2], args[0], args[3], args[4], args[5]];
    let thread = int(vm, st, args[1], "a thread")?;
    if thread > 0 && group as u64 != ids::PID {
        return Ok(errno(ESRCH));
    }
    tkill(vm, st, &rest)
}
