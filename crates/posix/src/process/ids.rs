//! Who the process is: the leader of a session of its own, an ordinary user, without children.

use super::numbers::*;
use super::{Result, errno, fault, int, long, ok};
use crate::user;
use forkwise_vm::{State, Value, Vm};

/// Process, thread, process group and session.
pub(crate) const PID: u64 = 1000;
/// The parent.
pub(crate) const PARENT: u64 = 1;
/// The user.
pub(crate) const UID: u64 = 1000;
/// The group.
pub(crate) const GID: u64 = 1000;

/// Is it this process, which may be called 0?
pub(super) fn is_self(pid: i32) -> bool {
    pid == 0 || pid as u64 == PID
}

/// getpgid and getsid: it leads both.
pub(super) fn group_of(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let pid = int(vm, st, args[0], "a process")?;
    Ok(if is_self(pid) { ok(PID) } else { errno(ESRCH) })
}

/// A session leader cannot move to another group.
pub(super) fn setpgid(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let (pid, group) = (int(vm, st, args[0], "a process")?, int(vm, st, args[1], "a process group")?);
    Ok(errno(match () {
        () if group < 0 => EINVAL,
        () if !is_self(pid) => ESRCH,
        () => EPERM,
    }))
}

/// Only the ids that it has, or -1 for no change.
pub(super) fn set_ids(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6], own: u64) -> Result {
    let (count, may_keep) = match number {
        SETUID | SETGID => (1, false),
        SETREUID | SETREGID => (2, true),
        _ => (3, true),
    };
    for arg in args.iter().take(count) {
        let id = int(vm, st, *arg, "a user or group")?;
        if id == -1 && !may_keep {
            return Ok(errno(EINVAL));
        }
        if id != -1 && id as u64 != own {
            return Ok(errno(EPERM));
        }
    }
    Ok(ok(0))
}

/// Real, effective and saved id.
pub(super) fn get_ids(vm: &mut Vm, st: &mut State, args: &[Value; 6], own: u64) -> Result {
    for arg in args.iter().take(3) {
        if user::write_bytes(vm, st, *arg, &(own as u32).to_le_bytes())?.is_none() {
            return fault();
        }
    }
    Ok(ok(0))
}

/// One group.
pub(super) fn getgroups(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    match int(vm, st, args[0], "a count")? {
        0 => Ok(ok(1)),
        n if n < 0 => Ok(errno(EINVAL)),
        _ => match user::write_bytes(vm, st, args[1], &(GID as u32).to_le_bytes())? {
            Some(()) => Ok(ok(1)),
            None => fault(),
        },
    }
}

pub(super) fn wait4(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    // WNOHANG, WUNTRACED, WCONTINUED, __WNOTHREAD, __WCLONE, __WALL
    const OPTIONS: i32 = 1 | 2 | 8 | 0x2000_0000 | 0x4000_0000 | i32::MIN;
    let options = int(vm, st, args[2], "options")?;
    Ok(errno(if options & !OPTIONS != 0 { EINVAL } else { ECHILD }))
}

pub(super) fn waitid(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    // WEXITED, WSTOPPED, WCONTINUED say what for; WNOHANG, WNOWAIT and three of the kernel's own, how.
    const WHAT: i32 = 4 | 2 | 8;
    const HOW: i32 = 1 | 0x0100_0000 | 0x2000_0000 | 0x4000_0000 | i32::MIN;
    let kind = int(vm, st, args[0], "a kind of process")?;
    let id = long(vm, st, args[1], "a process")? as i32;
    let options = int(vm, st, args[3], "options")?;
    let bad_options = options & !(WHAT | HOW) != 0 || options & WHAT == 0;
    let bad_id = match kind {
        0 => false,
        1 => id <= 0,
        2 => id < 0,
        _ => true,
    };
    Ok(errno(if bad_options || bad_id { EINVAL } else { ECHILD }))
}
