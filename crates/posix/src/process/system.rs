//! The machine and the process as a whole: names, limits, usage, settings, random numbers, the end.

use super::numbers::*;
use super::{ProcessState, Result, clock, errno, fault, ids, int, is_null, long, ok};
use crate::user;
use crate::world::World;
use forkwise_vm::{Byte, State, SysResult, Value, Vm};
use std::rc::Rc;

pub(super) fn exit(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let status = vm.exit_status(st, args[0]);
    Ok(SysResult::End(vm.exited(st, status)))
}

fn store(vm: &mut Vm, st: &mut State, at: Value, bytes: &[u8]) -> Result {
    match user::write_bytes(vm, st, at, bytes)? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn uname(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const FIELD: usize = 65;
    let fields = ["Linux", "forkwise", "6.1.0", "#1 SMP PREEMPT_DYNAMIC", "x86_64", "(none)"];
    let mut bytes = [0; FIELD * 6];
    for (field, text) in bytes.chunks_mut(FIELD).zip(fields) {
        field[..text.len()].copy_from_slice(text.as_bytes());
    }
    store(vm, st, args[0], &bytes)
}

/// Eight gigabytes, half of them free, one process.
pub(super) fn sysinfo(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const TOTAL: u64 = 8 << 30;
    let mut bytes = [0; 112];
    let uptime = clock::uptime(st);
    for (at, word) in [(0, uptime), (32, TOTAL), (40, TOTAL / 2)] {
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes[80..82].copy_from_slice(&1u16.to_le_bytes());
    bytes[104..108].copy_from_slice(&1u32.to_le_bytes());
    store(vm, st, args[0], &bytes)
}

/// Number of resources that have limits.
const RESOURCES: u32 = 16;
/// `RLIMIT_NOFILE`.
pub(super) const OPEN_FILES: u32 = 7;
const INFINITY: u64 = u64::MAX;

/// Soft and hard limit of a resource; at first those of a replayed program.
pub(crate) fn limit(st: &State, resource: u32) -> (u64, u64) {
    let changed = ProcessState::get(st)
        .and_then(|p| p.limits.iter().find(|(r, ..)| *r == resource).map(|(_, soft, hard)| (*soft, *hard)));
    changed.unwrap_or(match resource {
        // RLIMIT_FSIZE, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_NPROC, open files, RLIMIT_MEMLOCK, RLIMIT_AS, and those of
        // pending signals, message queues, nice and real-time priority
        1 => (64 << 20, 64 << 20),
        3 => (8 << 20, 8 << 20),
        4 => (0, 0),
        6 => (65, 65),
        OPEN_FILES => (1024, 4096),
        8 => (8 << 20, 8 << 20),
        9 => (4 << 30, 4 << 30),
        11 => (31_000, 31_000),
        12 => (819_200, 819_200),
        13 | 14 => (0, 0),
        _ => (INFINITY, INFINITY),
    })
}

fn set_limit(st: &mut State, resource: u32, soft: u64, hard: u64) {
    let limits = Rc::make_mut(&mut ProcessState::of(st).limits);
    limits.retain(|(r, ..)| *r != resource);
    limits.push((resource, soft, hard));
    if resource == OPEN_FILES {
        World::of_mut(st).descriptors.limit = soft;
    }
}

pub(super) fn getrlimit(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let resource = int(vm, st, args[0], "a resource")? as u32;
    if resource >= RESOURCES {
        return Ok(errno(EINVAL));
    }
    let (soft, hard) = limit(st, resource);
    match user::write_words(vm, st, args[1], &[soft, hard])? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn setrlimit(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let resource = int(vm, st, args[0], "a resource")? as u32;
    let Some([soft, hard]) = user::read_words(vm, st, args[1], "a limit")? else { return fault() };
    match change_allowed(st, resource, soft, hard) {
        Some(error) => Ok(errno(error)),
        None => {
            set_limit(st, resource, soft, hard);
            Ok(ok(0))
        }
    }
}

/// The error that a change of limits meets.
fn change_allowed(st: &State, resource: u32, soft: u64, hard: u64) -> Option<i64> {
    if resource >= RESOURCES || soft > hard {
        return Some(EINVAL);
    }
    (hard > limit(st, resource).1).then_some(EPERM)
}

pub(super) fn prlimit(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    let resource = int(vm, st, args[1], "a resource")? as u32;
    let mut new = None;
    if !is_null(args[2]) {
        match user::read_words::<2>(vm, st, args[2], "a limit")? {
            Some(words) => new = Some(words),
            None => return fault(),
        }
    }
    if !ids::is_self(pid) {
        return Ok(errno(ESRCH));
    }
    if resource >= RESOURCES {
        return Ok(errno(EINVAL));
    }
    let old = limit(st, resource);
    if let Some([soft, hard]) = new {
        if let Some(error) = change_allowed(st, resource, soft, hard) {
            return Ok(errno(error));
        }
        set_limit(st, resource, soft, hard);
    }
    if !is_null(args[3]) && user::write_words(vm, st, args[3], &[old.0, old.1])?.is_none() {
        return fault();
    }
    Ok(ok(0))
}

pub(super) fn getrusage(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let mut words = [0; 18];
    match int(vm, st, args[0], "whose usage")? {
        // The process, its thread.
        0 | 1 => {
            let used = clock::cpu_time(st);
            words[0] = used / 1_000_000_000;
            words[1] = used % 1_000_000_000 / 1000;
            words[4] = st.mem.live_bytes.div_ceil(1024);
        }
        // Its children.
        -1 => {}
        _ => return Ok(errno(EINVAL)),
    }
    match user::write_words(vm, st, args[1], &words)? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn prctl(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const SET_PDEATHSIG: i32 = 1;
    const GET_PDEATHSIG: i32 = 2;
    const GET_DUMPABLE: i32 = 3;
    const SET_DUMPABLE: i32 = 4;
    const GET_KEEPCAPS: i32 = 7;
    const SET_KEEPCAPS: i32 = 8;
    const SET_NAME: i32 = 15;
    const GET_NAME: i32 = 16;
    const SET_TIMERSLACK: i32 = 29;
    const GET_TIMERSLACK: i32 = 30;
    const SET_NO_NEW_PRIVS: i32 = 38;
    const GET_NO_NEW_PRIVS: i32 = 39;
    let option = int(vm, st, args[0], "an option")?;
    if option == SET_NAME || option == GET_NAME {
        return name(vm, st, option == SET_NAME, args[1]);
    }
    if option == GET_PDEATHSIG {
        return store(vm, st, args[1], &9u32.to_le_bytes());
    }
    let value = long(vm, st, args[1], "an option's value")?;
    let p = ProcessState::of(st);
    match (option, value) {
        (SET_PDEATHSIG, 0..=64) => {}
        (GET_DUMPABLE, _) => return Ok(ok(u64::from(p.dumpable))),
        (SET_DUMPABLE, 0 | 1) => p.dumpable = value == 1,
        (GET_KEEPCAPS, _) => return Ok(ok(u64::from(p.keep_capabilities))),
        (SET_KEEPCAPS, 0 | 1) => p.keep_capabilities = value == 1,
        (SET_TIMERSLACK, _) => {}
        (GET_TIMERSLACK, _) => return Ok(ok(50_000)),
        (SET_NO_NEW_PRIVS, 1) => {}
        (GET_NO_NEW_PRIVS, _) => return Ok(ok(1)),
        _ => return Ok(errno(EINVAL)),
    }
    Ok(ok(0))
}

/// The name of the thread: fifteen bytes and a zero.
fn name(vm: &mut Vm, st: &mut State, set: bool, at: Value) -> Result {
    if !set {
        let name = ProcessState::get(st).map_or(*b"program\0\0\0\0\0\0\0\0\0", |p| *p.name);
        return store(vm, st, at, &name);
    }
    let address = long(vm, st, at, "an address")?;
    let mut name = [0; 16];
    for (i, byte) in name.iter_mut().take(15).enumerate() {
        let Some(bytes) = user::read(vm, st, Value::concrete(address + i as u64), 1)? else { return fault() };
        *byte = match bytes[0] {
            Byte::Concrete(b) => b,
            Byte::Symbolic(e) => vm.concretize(st, Value::symbolic(e), 8, "a thread's name")? as u8,
        };
        if *byte == 0 {
            break;
        }
    }
    ProcessState::of(st).name = Rc::new(name);
    Ok(ok(0))
}

pub(super) fn arch_prctl(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const SET_FS: u64 = 0x1002;
    const GET_FS: u64 = 0x1003;
    match long(vm, st, args[0], "an option")? {
        SET_FS => {
            st.thread_pointer = long(vm, st, args[1], "a thread pointer")?;
            Ok(ok(0))
        }
        GET_FS => match user::write_words(vm, st, args[1], &[st.thread_pointer])? {
            Some(()) => Ok(ok(0)),
            None => fault(),
        },
        _ => Ok(errno(EINVAL)),
    }
}

/// Addresses are never random, which is what a replayed program sees.
pub(super) fn personality(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const NO_RANDOMIZE: u64 = 0x0040000;
    long(vm, st, args[0], "a personality")?;
    Ok(ok(NO_RANDOMIZE))
}

/// The kernel returns 20 minus the priority, so that it is never negative.
pub(super) fn getpriority(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match priority_target(vm, st, args)? {
        Some(error) => Ok(errno(error)),
        None => Ok(ok((20 - ProcessState::of(st).nice) as u64)),
    }
}

pub(super) fn setpriority(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let wanted = int(vm, st, args[2], "a priority")?.clamp(-20, 19);
    if let Some(error) = priority_target(vm, st, args)? {
        return Ok(errno(error));
    }
    let p = ProcessState::of(st);
    if wanted < p.nice {
        return Ok(errno(EACCES));
    }
    p.nice = wanted;
    Ok(ok(0))
}

fn priority_target(
    vm: &mut Vm,
    st: &mut State,
    args: &[Value; 6],
) -> std::result::Result<Option<i64>, forkwise_vm::Termination> {
    let which = int(vm, st, args[0], "a kind of process")?;
    let who = int(vm, st, args[1], "a process")?;
    Ok(match which {
        0 | 1 if ids::is_self(who) => None,
        2 if who == 0 || who as u64 == ids::UID => None,
        0..=2 => Some(ESRCH),
        _ => Some(EINVAL),
    })
}

/// Numbers that look random and follow from the run's seed and how many were given before.
pub(super) fn getrandom(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    // GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE; the last two exclude each other.
    const FLAGS: i32 = 7;
    // More at a time is allowed natively; the rest is left to another call, as after a signal.
    const MOST: u64 = 1 << 20;
    let n = long(vm, st, args[1], "a length")?.min(MOST);
    let flags = int(vm, st, args[2], "flags")?;
    if flags & !FLAGS != 0 || flags & 6 == 6 {
        return Ok(errno(EINVAL));
    }
    let bytes = random(vm, st, n);
    if user::write(vm, st, args[0], &bytes)?.is_none() {
        return fault();
    }
    took_random(st, n);
    Ok(ok(n))
}

/// Counts random bytes that the program got.
pub(crate) fn took_random(st: &mut State, n: u64) {
    ProcessState::of(st).random += n;
}

/// The next random bytes; they stay the next ones until they are counted by [`took_random`].
pub(crate) fn random(vm: &Vm, st: &State, n: u64) -> Vec<Byte> {
    let given = ProcessState::get(st).map_or(0, |p| p.random);
    (given..given + n).map(|i| Byte::Concrete(random_byte(vm.config.random_seed, i))).collect()
}

/// Byte `i` of the sequence of a seed (SplitMix64).
fn random_byte(seed: u64, i: u64) -> u8 {
    let mut x = seed.wrapping_add((i / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    x.to_le_bytes()[(i % 8) as usize]
}
