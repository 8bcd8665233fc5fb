//! The process side of the virtual Linux: everything but files. [`syscall`] sends a call to its family; what a process
//! knows about itself is [`ProcessState`], part of the path. All of it is deterministic, and none of it touches the host.

mod clock;
mod files;
mod ids;
mod memory;
mod numbers;
mod poll;
mod refused;
mod sched;
mod signals;
mod state;
mod system;

pub(crate) use clock::EPOCH;
pub(crate) use ids::UID;
pub(crate) use signals::{SIGPIPE, mask as signal_mask, raise, set_mask as set_signal_mask};
pub(crate) use state::ProcessState;
pub(crate) use system::{limit, random, took_random};

use forkwise_vm::{Delivery, State, SysResult, Termination, Value, Vm};
use numbers::*;

/// What a system call gives.
pub(crate) type Result = std::result::Result<SysResult, Termination>;

pub(crate) use crate::{errno, ok};

/// EFAULT.
fn fault() -> Result {
    Ok(errno(EFAULT))
}

/// An argument as the kernel takes an `int`: the upper half of the register does not count.
fn int(vm: &mut Vm, st: &mut State, v: Value, what: &str) -> std::result::Result<i32, Termination> {
    Ok(vm.concretize(st, v, 64, what)? as i32)
}

/// An argument of the width of a register.
fn long(vm: &mut Vm, st: &mut State, v: Value, what: &str) -> std::result::Result<u64, Termination> {
    vm.concretize(st, v, 64, what)
}

/// Is it the null pointer? A symbolic address is not.
fn is_null(v: Value) -> bool {
    v.as_concrete() == Some(0)
}

/// Performs a system call that is not about files.
pub(crate) fn syscall(vm: &mut Vm, st: &mut State, number: u64, args: &[Value; 6]) -> Result {
    match number {
        EXIT | EXIT_GROUP => system::exit(vm, st, args),
        GETPID | GETTID => Ok(ok(ids::PID)),
        SET_TID_ADDRESS => Ok(ok(ids::PID)),
        GETPPID => Ok(ok(ids::PARENT)),
        GETUID | GETEUID => Ok(ok(ids::UID)),
        GETGID | GETEGID => Ok(ok(ids::GID)),
        GETPGRP => Ok(ok(ids::PID)),
        GETPGID | GETSID => ids::group_of(vm, st, args),
        SETPGID => ids::setpgid(vm, st, args),
        SETSID => Ok(errno(EPERM)),
        SETUID | SETREUID | SETRESUID => ids::set_ids(vm, st, number, args, ids::UID),
        SETGID | SETREGID | SETRESGID => ids::set_ids(vm, st, number, args, ids::GID),
        GETRESUID => ids::get_ids(vm, st, args, ids::UID),
        GETRESGID => ids::get_ids(vm, st, args, ids::GID),
        SETFSUID => Ok(ok(ids::UID)),
        SETFSGID => Ok(ok(ids::GID)),
        GETGROUPS => ids::getgroups(vm, st, args),
        SETGROUPS => Ok(errno(EPERM)),
        WAIT4 => ids::wait4(vm, st, args),
        WAITID => ids::waitid(vm, st, args),

        UNAME => system::uname(vm, st, args),
        SYSINFO => system::sysinfo(vm, st, args),
        GETRLIMIT => system::getrlimit(vm, st, args),
        SETRLIMIT => system::setrlimit(vm, st, args),
        PRLIMIT64 => system::prlimit(vm, st, args),
        GETRUSAGE => system::getrusage(vm, st, args),
        PRCTL => system::prctl(vm, st, args),
        ARCH_PRCTL => system::arch_prctl(vm, st, args),
        PERSONALITY => system::personality(vm, st, args),
        GETPRIORITY => system::getpriority(vm, st, args),
        SETPRIORITY => system::setpriority(vm, st, args),
        GETRANDOM => system::getrandom(vm, st, args),

        CLOCK_GETTIME => clock::gettime(vm, st, args),
        CLOCK_GETRES => clock::getres(vm, st, args),
        CLOCK_SETTIME => clock::settime(vm, st, args),
        CLOCK_NANOSLEEP => clock::clock_nanosleep(vm, st, args),
        NANOSLEEP => clock::nanosleep(vm, st, args),
        GETTIMEOFDAY => clock::gettimeofday(vm, st, args),
        SETTIMEOFDAY => Ok(errno(EPERM)),
        TIME => clock::time(vm, st, args),
        TIMES => clock::times(vm, st, args),
        ALARM => clock::alarm(vm, st, args),
        GETITIMER => clock::getitimer(vm, st, args),
        SETITIMER => clock::setitimer(vm, st, args),

        MMAP => memory::mmap(vm, st, args),
        MUNMAP => memory::munmap(vm, st, args),
        MPROTECT => memory::mprotect(vm, st, args),
        MREMAP => memory::mremap(vm, st, args),
        MADVISE => memory::madvise(vm, st, args),
        MINCORE => memory::mincore(vm, st, args),
        MSYNC => memory::msync(vm, st, args),
        BRK => memory::brk(vm, st, args),
        MLOCK | MUNLOCK | MLOCK2 | MUNLOCKALL => Ok(ok(0)),
        MLOCKALL => memory::mlockall(vm, st, args),

        RT_SIGACTION => signals::sigaction(vm, st, args),
        RT_SIGPROCMASK => signals::sigprocmask(vm, st, args),
        RT_SIGPENDING => signals::sigpending(vm, st, args),
        RT_SIGSUSPEND => signals::sigsuspend(vm, st, args),
        RT_SIGTIMEDWAIT => signals::sigtimedwait(vm, st, args),
        RT_SIGQUEUEINFO => signals::sigqueueinfo(vm, st, args),
        SIGALTSTACK => signals::sigaltstack(vm, st, args),
        PAUSE => signals::pause(vm, st),
        KILL => signals::kill(vm, st, args),
        TKILL => signals::tkill(vm, st, args),
        TGKILL => signals::tgkill(vm, st, args),

        SCHED_YIELD => Ok(ok(0)),
        SCHED_SETSCHEDULER | SCHED_SETPARAM => sched::set(vm, st, number, args),
        SCHED_GETSCHEDULER | SCHED_GETPARAM => sched::get(vm, st, number, args),
        SCHED_GET_PRIORITY_MAX | SCHED_GET_PRIORITY_MIN => sched::priority_bound(vm, st, number, args),
        SCHED_RR_GET_INTERVAL => sched::interval(vm, st, args),
        SCHED_SETAFFINITY => sched::setaffinity(vm, st, args),
        SCHED_GETAFFINITY => sched::getaffinity(vm, st, args),
        GETCPU => sched::getcpu(vm, st, args),
        FUTEX => sched::futex(vm, st, args),
        SET_ROBUST_LIST => sched::set_robust_list(vm, st, args),
        MEMBARRIER => sched::membarrier(vm, st, args),

        POLL | PPOLL => poll::poll(vm, st, number, args),
        SELECT | PSELECT6 => poll::select(vm, st, number, args),

        _ => refused::refuse(vm, number),
    }
}

/// The time on the path's clock: seconds since 1970 and microseconds.
pub(crate) fn now(st: &State) -> (u64, u64) {
    let (seconds, nanos) = clock::now(st);
    (seconds, nanos / 1000)
}

/// The signals of a process, as the virtual machine asks for them.
pub(crate) fn next_signal(vm: &mut Vm, st: &mut State) -> std::result::Result<Option<Delivery>, Termination> {
    signals::next(vm, st)
}

/// The handler of SIGABRT, for `abort`.
pub(crate) fn abort_handler(
    vm: &mut Vm,
    st: &mut State,
) -> std::result::Result<Option<Delivery>, Termination> {
    signals::abort_handler(vm, st)
}
