//! System call numbers and error numbers of x86-64 Linux.
#![allow(missing_docs)]

pub const MMAP: u64 = 9;
pub const MPROTECT: u64 = 10;
pub const MUNMAP: u64 = 11;
pub const BRK: u64 = 12;
pub const RT_SIGACTION: u64 = 13;
pub const RT_SIGPROCMASK: u64 = 14;
pub const SCHED_YIELD: u64 = 24;
pub const MADVISE: u64 = 28;
pub const NANOSLEEP: u64 = 35;
pub const GETPID: u64 = 39;
pub const EXIT: u64 = 60;
pub const KILL: u64 = 62;
pub const GETTIMEOFDAY: u64 = 96;
pub const GETUID: u64 = 102;
pub const GETGID: u64 = 104;
pub const GETEUID: u64 = 107;
pub const GETEGID: u64 = 108;
pub const GETPPID: u64 = 110;
pub const ARCH_PRCTL: u64 = 158;
pub const GETTID: u64 = 186;
pub const TKILL: u64 = 200;
pub const FUTEX: u64 = 202;
pub const SET_TID_ADDRESS: u64 = 218;
pub const CLOCK_GETTIME: u64 = 228;
pub const CLOCK_NANOSLEEP: u64 = 230;
pub const EXIT_GROUP: u64 = 231;
pub const TGKILL: u64 = 234;
pub const SET_ROBUST_LIST: u64 = 273;
pub const GETRANDOM: u64 = 318;

pub const ENOMEM: i64 = 12;
pub const EINVAL: i64 = 22;

/// What a program wants that uses calls which are left out on purpose.
pub fn whole_family(number: u64) -> Option<&'static str> {
    match number {
        41..=55 | 288 | 299 | 307 => Some("the program uses sockets"),
        56..=58 | 435 => Some("the program starts processes or threads"),
        59 | 322 => Some("the program executes other programs"),
        _ => None,
    }
}
