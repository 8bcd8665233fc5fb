//! What a program cannot have here: other processes and threads, sockets, and memory shared between processes. The
//! program hears ENOSYS, the user a note, once for each kind.

use super::numbers::*;
use super::{Result, errno};
use forkwise_vm::{SysResult, Vm};

/// Refuses what is known and cannot be had; everything else is counted as not modelled.
pub(super) fn refuse(vm: &mut Vm, number: u64) -> Result {
    let what = match number {
        FORK | VFORK => "fork: there is one process",
        CLONE | CLONE3 => "clone: there is one process and one thread",
        EXECVE | EXECVEAT => "exec: there are no other programs",
        UNSHARE => "unshare: there are no namespaces",
        PTRACE => "ptrace: there are no other processes",
        SOCKET..=SOCKETPAIR => "sockets: there is no network",
        SHMGET..=SHMCTL | SEMGET..=SEMCTL | MSGGET..=MSGCTL => {
            "System V shared memory, semaphores and messages: there are no other processes"
        }
        RSEQ | CAPGET | CAPSET | GET_ROBUST_LIST => return Ok(errno(ENOSYS)),
        _ => return Ok(SysResult::Unmodelled),
    };
    vm.note(format!("the program asks for what it cannot have here (ENOSYS): {what}"));
    Ok(SysResult::Unmodelled)
}
