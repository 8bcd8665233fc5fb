//! Namespaces to run programs in: own users, mounts, processes, network, IPC and host name. What is seen inside is for
//! [`super::world`] to say; there is no network and no foreign process. A holder process keeps the
//! namespaces alive so that making them is paid once, not per run; it ends when this process does, by any cause,
//! and everything inside ends with it.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr;

use libc::{c_char, c_int, c_ulong, pid_t};

use super::wait::{reap, wait_readable};
use super::waiter::waiter;
use super::world::{Action, Step, World};
use super::{last_error, pidfd, pipe};

/// The namespaces of a sandbox.
pub(super) const NAMESPACES: c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// The user and group that programs see themselves as, and the name of their machine: those of the engine's model. A
/// user other than root also has no privileges in the namespaces once it executes a program.
const USER: u32 = 1000;
const HOST_NAME: &[u8] = b"forkwise";
/// The beginning of the engine's clock.
const EPOCH: i64 = crate::EPOCH.as_secs() as i64;

/// How long a holder may take to set up its namespaces; milliseconds are usual.
const SETUP_MILLISECONDS: i32 = 10_000;

/// A sandbox could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {source}")]
pub struct SandboxError {
    /// What failed.
    pub step: &'static str,
    /// Why.
    pub source: io::Error,
}

/// A set of namespaces, kept by a process that does nothing else.
#[derive(Debug)]
pub struct Sandbox {
    holder: pid_t,
    holder_fd: OwnedFd,
    /// The list of the holder's children, which the kernel writes anew each time it is read.
    children: File,
    /// Closing it ends the holder.
    _control: OwnedFd,
}

const STEPS: &[&str] = &[
    "cannot create namespaces",
    "cannot map the user into the namespace",
    "cannot separate the mounts",
    "cannot make the directories of the sandbox",
    "cannot mount in the sandbox",
    "cannot make the host's files read-only",
    "cannot set up the namespaces",
];
const CREATE: usize = 0;
const MAP: usize = 1;
const SEPARATE: usize = 2;
const DIRECTORIES: usize = 3;
const MOUNT: usize = 4;
const PROTECT: usize = 5;
const OTHER: usize = 6;

/// What the holder needs, prepared before it is born: it may not allocate.
struct Setup {
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
    steps: Vec<Step>,
    control: RawFd,
    ready: RawFd,
    waiter: RawFd,
}

#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}
const MOUNT_ATTR_RDONLY: u64 = 1;
const AT_RECURSIVE: c_int = 0x8000;

impl Sandbox {
    /// Makes the namespaces. `scratch` is an empty directory, needed while that is done.
    pub fn new(world: &World, scratch: &Path) -> Result<Sandbox, SandboxError> {
        let other = |source| SandboxError { step: STEPS[OTHER], source };
        // SAFETY: these calls only return numbers.
        let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
        let (control_read, control) = pipe().map_err(other)?;
        let (ready, ready_write) = pipe().map_err(other)?;
        let waiter = waiter().map_err(other)?;
        let setup = Setup {
            uid_map: format!("{USER} {uid} 1\n").into_bytes(),
            gid_map: format!("{USER} {gid} 1\n").into_bytes(),
            steps: world.steps(scratch).map_err(other)?,
            control: control_read.as_raw_fd(),
            ready: ready_write.as_raw_fd(),
            waiter: waiter.as_raw_fd(),
        };

        // SAFETY: like fork: the child has a copy of this thread and makes only system calls until it executes
        // another program or ends.
        let holder = unsafe {
            let flags = c_ulong::from((NAMESPACES | libc::SIGCHLD) as u32);
            let pid = libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) as pid_t;
            if pid == 0 {
                hold(&setup);
            }
            pid
        };
        if holder < 0 {
            return Err(SandboxError { step: STEPS[CREATE], source: last_error() });
        }
        drop(ready_write);
        let kill = |error: SandboxError| {
            // SAFETY: the holder is our child and not reaped yet.
            unsafe { libc::kill(holder, libc::SIGKILL) };
            reap(holder);
            error
        };
        let holder_fd = pidfd(holder).map_err(|source| kill(other(source)))?;
        let mut answer = [0; 8];
        let received = wait_readable(ready.as_raw_fd(), SETUP_MILLISECONDS)
            .and_then(|_| File::from(ready).read_exact(&mut answer));
        received.map_err(|source| kill(other(source)))?;
        let [a, b, c, d, e, f, g, h] = answer;
        let (step, error) = (u32::from_ne_bytes([a, b, c, d]), i32::from_ne_bytes([e, f, g, h]));
        if error != 0 {
            let step = STEPS[(step as usize).min(OTHER)];
            return Err(kill(SandboxError { step, source: io::Error::from_raw_os_error(error) }));
        }
        let children = File::open(format!("/proc/{holder}/task/{holder}/children"));
        let children = children.map_err(|source| kill(other(source)))?;
        Ok(Sandbox { holder, holder_fd, children, _control: control })
    }

    /// A directory as programs in the sandbox see it, opened for this process.
    pub fn open_directory(&self, path: &Path) -> io::Result<File> {
        let below = path.strip_prefix("/").unwrap_or(path);
        File::open(Path::new(&format!("/proc/{}/root", self.holder)).join(below))
    }

    /// The descriptor through which a process joins the namespaces.
    pub(super) fn holder_fd(&self) -> RawFd {
        self.holder_fd.as_raw_fd()
    }

    /// Whether processes of an ended run are still inside. They have become the holder's children.
    pub fn has_strays(&self) -> bool {
        let mut first = [0; 1];
        // The list of a holder that is gone cannot be read; `is_alive` tells that.
        matches!(self.children.read_at(&mut first, 0), Ok(1))
    }

    /// The holder, under which processes appear whose parent has ended.
    pub fn holder(&self) -> pid_t {
        self.holder
    }

    /// Whether the namespaces can still be entered.
    pub fn is_alive(&self) -> bool {
        !wait_readable(self.holder_fd.as_raw_fd(), 0).unwrap_or(true)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // SAFETY: the holder is our child and not reaped yet. As the first process of its namespace it takes all
        // others with it.
        unsafe { libc::kill(self.holder, libc::SIGKILL) };
        reap(self.holder);
    }
}

/// The holder: sets up its namespaces, says so, and waits for the control pipe to close.
fn hold(setup: &Setup) -> ! {
    // SAFETY: this is the only thread of a new process; everything pointed to was made before its birth.
    unsafe {
        libc::setsid();
        if let Err(step) = arrange(setup) {
            let error = *libc::__errno_location();
            tell(setup.ready, step, if error == 0 { libc::EIO } else { error });
            libc::_exit(1);
        }
        tell(setup.ready, 0, 0);
        // Processes whose parents ended become this one's children and must not pile up as zombies.
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        libc::dup2(setup.control, 0);
        // Nothing of ours may stay open, or it would stay in use; the program to execute is closed as it starts.
        libc::dup2(setup.waiter, 3);
        libc::fcntl(3, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::close(1);
        libc::close(2);
        libc::close_range(4, libc::c_uint::MAX, 0);
        // Another program has none of our memory: this copy would otherwise keep every page alive that the
        // original replaces.
        let none = [ptr::null::<c_char>()];
        let args = [c"waiter".as_ptr(), ptr::null()];
        libc::syscall(libc::SYS_execveat, 3, c"".as_ptr(), args.as_ptr(), none.as_ptr(), libc::AT_EMPTY_PATH);
        let mut byte = 0u8;
        while libc::read(0, (&raw mut byte).cast(), 1) != 0 {}
        libc::_exit(0)
    }
}

unsafe fn tell(fd: RawFd, step: usize, error: c_int) {
    let mut message = [0u8; 8];
    let (front, back) = message.split_at_mut(4);
    front.copy_from_slice(&(step as u32).to_ne_bytes());
    back.copy_from_slice(&error.to_ne_bytes());
    // SAFETY: the buffer is eight bytes long.
    unsafe { libc::write(fd, message.as_ptr().cast(), message.len()) };
}

/// Users, then mounts. The error is the step; `errno` has the reason.
unsafe fn arrange(setup: &Setup) -> Result<(), usize> {
    let ok = |result: c_int, step: usize| if result == 0 { Ok(()) } else { Err(step) };
    let none = ptr::null::<c_char>();
    let data = ptr::null();
    // SAFETY: all strings are C strings that outlive the calls.
    unsafe {
        // Without it an unprivileged user may not map a group. Old kernels do not have the file.
        let _ = write_file(c"/proc/self/setgroups".as_ptr(), b"deny");
        ok(write_file(c"/proc/self/uid_map".as_ptr(), &setup.uid_map), MAP)?;
        ok(write_file(c"/proc/self/gid_map".as_ptr(), &setup.gid_map), MAP)?;

        ok(libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, data), SEPARATE)?;
        libc::umask(0);
        libc::sethostname(HOST_NAME.as_ptr().cast(), HOST_NAME.len());
        for step in &setup.steps {
            let taken = take(&step.action);
            if step.needed {
                taken?;
            }
        }
    }
    Ok(())
}

/// Takes one step. The error is as for `arrange`.
unsafe fn take(action: &Action) -> Result<(), usize> {
    let ok = |result: c_int, step: usize| if result == 0 { Ok(()) } else { Err(step) };
    let none = ptr::null::<c_char>();
    let data = ptr::null();
    // SAFETY: all strings are C strings that outlive the calls.
    unsafe {
        match action {
            Action::Directory(path, mode) => {
                let made = libc::mkdir(path.as_ptr(), *mode) == 0;
                ok(if made || *libc::__errno_location() == libc::EEXIST { 0 } else { -1 }, DIRECTORIES)
            }
            Action::File(path, bytes) => ok(make_file(path.as_ptr(), bytes), DIRECTORIES),
            Action::Link(target, path) => ok(libc::symlink(target.as_ptr(), path.as_ptr()), DIRECTORIES),
            Action::Remove(path) => ok(libc::unlink(path.as_ptr()), DIRECTORIES),
            Action::Memory(path, flags, options) => {
                let kind = c"tmpfs".as_ptr();
                ok(libc::mount(kind, path.as_ptr(), kind, *flags, options.as_ptr().cast()), MOUNT)
            }
            Action::Bind(from, to) => {
                let flags = libc::MS_BIND | libc::MS_REC;
                ok(libc::mount(from.as_ptr(), to.as_ptr(), none, flags, data), MOUNT)
            }
            Action::Move(from, to) => {
                ok(libc::mount(from.as_ptr(), to.as_ptr(), none, libc::MS_MOVE, data), MOUNT)
            }
            Action::Processes(path) => {
                let kind = c"proc".as_ptr();
                let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
                ok(libc::mount(kind, path.as_ptr(), kind, flags, data), MOUNT)
            }
            Action::Root(path) => {
                let here = c".".as_ptr();
                let moved = libc::chdir(path.as_ptr()) == 0
                    && libc::syscall(libc::SYS_pivot_root, here, here) == 0
                    // The old root is now below the new one, in the same place, and goes.
                    && libc::umount2(here, libc::MNT_DETACH) == 0
                    && libc::chdir(c"/".as_ptr()) == 0;
                ok(if moved { 0 } else { -1 }, MOUNT)
            }
            Action::ReadOnly(path) => {
                ok(attributes(path.as_ptr(), AT_RECURSIVE, MOUNT_ATTR_RDONLY, 0), PROTECT)
            }
            Action::Writable(path) => ok(attributes(path.as_ptr(), 0, 0, MOUNT_ATTR_RDONLY), PROTECT),
            Action::Date(path) => {
                let time = libc::timespec { tv_sec: EPOCH, tv_nsec: 0 };
                let flags = libc::AT_SYMLINK_NOFOLLOW;
                ok(libc::utimensat(libc::AT_FDCWD, path.as_ptr(), [time, time].as_ptr(), flags), DIRECTORIES)
            }
        }
    }
}

unsafe fn make_file(path: *const c_char, bytes: &[u8]) -> c_int {
    // SAFETY: the path is a C string, the buffer as long as said.
    unsafe {
        let fd = libc::open(path, libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC, 0o644);
        if fd < 0 {
            return -1;
        }
        let written = libc::write(fd, bytes.as_ptr().cast(), bytes.len());
        libc::close(fd);
        if written == bytes.len() as isize { 0 } else { -1 }
    }
}

unsafe fn attributes(path: *const c_char, flags: c_int, set: u64, clear: u64) -> c_int {
    let attributes = MountAttributes { set, clear, propagation: 0, user_namespace: 0 };
    // SAFETY: the structure is the kernel's, with its size.
    unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path,
            flags,
            &raw const attributes,
            size_of::<MountAttributes>(),
        ) as c_int
    }
}

unsafe fn write_file(path: *const c_char, bytes: &[u8]) -> c_int {
    // SAFETY: the path is a C string, the buffer as long as said.
    unsafe {
        let fd = libc::open(path, libc::O_WRONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return -1;
        }
        let written = libc::write(fd, bytes.as_ptr().cast(), bytes.len());
        let error = *libc::__errno_location();
        libc::close(fd);
        *libc::__errno_location() = error;
        if written == bytes.len() as isize { 0 } else { -1 }
    }
}
