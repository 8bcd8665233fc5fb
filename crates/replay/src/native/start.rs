//! Starting a program: `clone` with shared memory (no page tables are copied, however large this process is), then
//! limits, descriptors, directory and `exec`. In a sandbox a first child joins its namespaces and a second one, born
//! inside, becomes the program; it is still this process's own child. See [`super::sandbox`] and [`super::wait`].

use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr;

use libc::{c_char, c_int, c_void, pid_t};

use super::counters::Counters;
use super::sandbox::{NAMESPACES, Sandbox};
use super::wait::reap;

/// The room a child has between `clone` and `exec`. It calls a dozen system calls; glibc's wrappers need little.
const STACK: usize = 64 << 10;

/// What to start, and how.
#[derive(Debug)]
pub struct Start<'a> {
    /// The program's absolute path.
    pub program: &'a CStr,
    /// The program itself, where the path does not lead to it.
    pub executable: Option<BorrowedFd<'a>>,
    /// Its arguments, the name first.
    pub args: &'a [CString],
    /// Its environment, as `NAME=VALUE`.
    pub env: &'a [CString],
    /// Where it starts.
    pub directory: &'a CStr,
    /// Standard input, output and error; numbers above 2.
    pub stdio: [BorrowedFd<'a>; 3],
    /// Memory to count branches in, handed over as [`Counters::NUMBER`].
    pub counters: Option<BorrowedFd<'a>>,
    /// Limits as `setrlimit` takes them: resource, soft, hard.
    pub limits: &'a [(libc::__rlimit_resource_t, u64, u64)],
    /// The namespaces to run in.
    pub sandbox: Option<&'a Sandbox>,
    /// It is to wait at its first instruction, for the thread that started it to trace it.
    pub traced: bool,
}

/// A program that runs.
#[derive(Debug, PartialEq, Eq)]
pub struct Started {
    /// Its process, a child of this one and the leader of a session and process group of its own.
    pub pid: pid_t,
}

/// A program could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {source}")]
pub struct StartError {
    /// What failed.
    pub step: &'static str,
    /// Why.
    pub source: io::Error,
}

const STEPS: &[&str] = &[
    "cannot start a process",
    "cannot enter the sandbox",
    "cannot start a process in the sandbox",
    "cannot make a session",
    "cannot redirect input and output",
    "cannot enter the run's directory",
    "cannot set a limit",
    "cannot give up privileges",
    "cannot execute the program",
];
const CLONE: usize = 0;
const ENTER: usize = 1;
const CLONE_INSIDE: usize = 2;
const SESSION: usize = 3;
const REDIRECT: usize = 4;
const DIRECTORY: usize = 5;
const LIMIT: usize = 6;
const PRIVILEGES: usize = 7;
const EXEC: usize = 8;

/// `SECBIT_NOROOT`, `SECBIT_NO_SETUID_FIXUP` and `SECBIT_NO_CAP_AMBIENT_RAISE`, each with its lock.
const NO_ROOT_PRIVILEGES: libc::c_ulong = 0b11 | 0b11 << 2 | 0b11 << 6;

/// Everything the children read, and the words they leave. They share this process's memory and the calling thread
/// waits for them in `clone`, so a plain structure does.
struct Plan {
    program: *const c_char,
    executable: RawFd,
    args: *const *const c_char,
    env: *const *const c_char,
    directory: *const c_char,
    stdio: [RawFd; 3],
    counters: RawFd,
    limits: *const (libc::__rlimit_resource_t, u64, u64),
    limit_count: usize,
    sandbox: RawFd,
    traced: bool,
    second_stack: *mut c_void,
    failed_step: usize,
    error: c_int,
    inner: pid_t,
}

const NO_FAILURE: usize = usize::MAX;

impl Start<'_> {
    /// Starts the program. When this returns it is already executing, or nothing is left behind.
    pub fn start(&self) -> Result<Started, StartError> {
        let pointers = |strings: &[CString]| -> Vec<*const c_char> {
            strings.iter().map(|s| s.as_ptr()).chain(std::iter::once(ptr::null())).collect()
        };
        let (args, env) = (pointers(self.args), pointers(self.env));
        let mut stacks = STACKS.take().unwrap_or_else(|| Box::new([Stack::new(), Stack::new()]));
        let [first_stack, second_stack] = &mut *stacks;
        let mut plan = Plan {
            program: self.program.as_ptr(),
            executable: self.executable.map_or(-1, |fd| fd.as_raw_fd()),
            args: args.as_ptr(),
            env: env.as_ptr(),
            directory: self.directory.as_ptr(),
            stdio: self.stdio.map(|fd| fd.as_raw_fd()),
            counters: self.counters.map_or(-1, |fd| fd.as_raw_fd()),
            limits: self.limits.as_ptr(),
            limit_count: self.limits.len(),
            sandbox: self.sandbox.map_or(-1, |sandbox| sandbox.holder_fd()),
            traced: self.traced,
            second_stack: second_stack.top(),
            failed_step: NO_FAILURE,
            error: 0,
            inner: 0,
        };
        let plan_pointer = &raw mut plan;
        let failure = |step: usize, error: c_int| StartError {
            step: STEPS[step],
            source: io::Error::from_raw_os_error(error),
        };

        // No handler of this process may run in a child: it would run in our memory.
        let all_blocked = BlockedSignals::new();
        // SAFETY: the child runs `first_child` on its own stack with a pointer that stays valid, because CLONE_VFORK
        // keeps this thread here until the child has executed the program or ended.
        let first = unsafe {
            libc::clone(
                first_child,
                first_stack.top(),
                libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
                plan_pointer.cast::<c_void>(),
            )
        };
        let clone_error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        // Both children have left their stacks: one ended, and the other executes its program.
        STACKS.set(Some(stacks));
        drop(all_blocked);
        if first < 0 {
            return Err(failure(CLONE, clone_error));
        }
        // SAFETY: the plan is ours again. Volatile, because the compiler has not seen who wrote to it.
        let (failed_step, error, inner) = unsafe {
            (
                ptr::read_volatile(&raw const (*plan_pointer).failed_step),
                ptr::read_volatile(&raw const (*plan_pointer).error),
                ptr::read_volatile(&raw const (*plan_pointer).inner),
            )
        };
        if failed_step != NO_FAILURE || self.sandbox.is_some() {
            reap(first);
        }
        if failed_step != NO_FAILURE {
            if inner > 0 {
                reap(inner);
            }
            return Err(failure(failed_step.min(EXEC), error));
        }
        Ok(Started { pid: if self.sandbox.is_some() { inner } else { first } })
    }
}

/// A stack for a child; it grows downwards.
struct Stack(Vec<u128>);

impl Stack {
    fn new() -> Stack {
        Stack(vec![0; STACK / 16])
    }

    fn top(&mut self) -> *mut c_void {
        self.0.as_mut_ptr_range().end.cast()
    }
}

thread_local! {
    /// The stacks of this thread's last start. Making them anew each time costs more than a short program.
    static STACKS: Cell<Option<Box<[Stack; 2]>>> = const { Cell::new(None) };
}

/// While it lives, this thread receives no signals.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> BlockedSignals {
        // SAFETY: both sets are plain data that the calls fill.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            BlockedSignals(before)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the mask is the one this thread had.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
    }
}

/// Notes what failed and ends the child.
unsafe fn give_up(plan: *mut Plan, step: usize) -> ! {
    // SAFETY: see `Start::start`: the plan is valid and the owner waits.
    unsafe {
        (*plan).error = *libc::__errno_location();
        (*plan).failed_step = step;
        libc::_exit(127)
    }
}

/// The first child: becomes the program, or goes into the sandbox and starts a second child there.
extern "C" fn first_child(argument: *mut c_void) -> c_int {
    let plan = argument.cast::<Plan>();
    // SAFETY: as for `give_up`; only system calls are made.
    unsafe {
        if (*plan).sandbox < 0 {
            become_program(plan);
        }
        if libc::setns((*plan).sandbox, NAMESPACES) != 0 {
            give_up(plan, ENTER);
        }
        // Joining a process namespace takes effect for children only. CLONE_PARENT makes this one the caller's.
        let inner = libc::clone(
            second_child,
            (*plan).second_stack,
            libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::SIGCHLD,
            argument,
        );
        if inner < 0 {
            give_up(plan, CLONE_INSIDE);
        }
        (*plan).inner = inner;
        libc::_exit(0)
    }
}

extern "C" fn second_child(argument: *mut c_void) -> c_int {
    // SAFETY: as for `first_child`.
    unsafe { become_program(argument.cast::<Plan>()) }
}

unsafe fn become_program(plan: *mut Plan) -> ! {
    // SAFETY: as for `give_up`; only system calls are made.
    unsafe {
        // Handlers must be gone before signals can arrive; ignored signals would stay ignored in the program.
        let mut default: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        for signal in 1..=64 {
            libc::sigaction(signal, &default, ptr::null_mut());
        }
        if libc::setsid() < 0 {
            give_up(plan, SESSION);
        }
        for (target, source) in (0..).zip((*plan).stdio) {
            if libc::dup2(source, target) < 0 {
                give_up(plan, REDIRECT);
            }
        }
        if libc::chdir((*plan).directory) != 0 {
            give_up(plan, DIRECTORY);
        }
        for index in 0..(*plan).limit_count {
            let (resource, soft, hard) = *(*plan).limits.add(index);
            let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
            if libc::setrlimit(resource, &limit) != 0 {
                give_up(plan, LIMIT);
            }
        }
        // The same addresses in every run, where the host lets us choose; results should not depend on luck.
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if (*plan).sandbox >= 0 {
            // Root in the sandbox could undo its read-only mounts; a root without capabilities cannot. A program
            // executed under these bits gets none, whoever runs it.
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            if libc::prctl(libc::PR_SET_SECUREBITS, NO_ROOT_PRIVILEGES, 0, 0, 0) != 0 {
                give_up(plan, PRIVILEGES);
            }
        }
        // Above the standard descriptors the program inherits its counters and nothing else.
        let mut first_closed: libc::c_uint = 3;
        if (*plan).counters >= 0 {
            let kept = Counters::NUMBER as libc::c_uint;
            // The descriptor may have its number already; it would then be closed with the program's start.
            if (*plan).counters == Counters::NUMBER {
                libc::fcntl(Counters::NUMBER, libc::F_SETFD, 0);
            } else if libc::dup2((*plan).counters, Counters::NUMBER) < 0 {
                give_up(plan, REDIRECT);
            }
            libc::syscall(libc::SYS_close_range, first_closed, kept - 1, libc::CLOSE_RANGE_CLOEXEC);
            first_closed = kept + 1;
        }
        // Closed as the program starts, which may itself be one of them.
        libc::syscall(libc::SYS_close_range, first_closed, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
        // Files that the program makes have the same permissions whoever runs it.
        libc::umask(0o022);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        // Where that is forbidden the program just runs, and who waits for it to stop sees it end.
        if (*plan).traced {
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
        }
        if (*plan).executable >= 0 {
            let (args, env) = ((*plan).args, (*plan).env);
            let flags = libc::AT_EMPTY_PATH;
            libc::syscall(libc::SYS_execveat, (*plan).executable, c"".as_ptr(), args, env, flags);
        } else {
            libc::execve((*plan).program, (*plan).args, (*plan).env);
        }
        give_up(plan, EXEC)
    }
}
