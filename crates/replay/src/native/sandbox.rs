//! Namespaces to run programs in: own users, mounts, processes, network, IPC and host name. The host's files are visible and
//! read-only except for the run's directory; there is no network and no foreign process. A holder process keeps the
//! namespaces alive so that making them is paid once, not per run; it ends when this process does, by any cause,
//! and everything inside ends with it.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr;

use libc::{c_char, c_int, c_ulong, pid_t};

use super::wait::{reap, wait_readable};
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

/// What a sandbox is made of.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    /// The directory in which programs start and may write.
    pub run: &'a Path,
    /// A further directory in which they may write.
    pub also: Option<&'a Path>,
    /// An empty directory, used while the sandbox is made.
    pub scratch: &'a Path,
    /// Files in `run` are kept in memory, in a file system of its own that holds no more than so many bytes. They are
    /// then reached through [`Sandbox::open_directory`] only.
    pub in_memory: Option<u64>,
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
    "cannot keep the run's directory writable",
    "cannot make the host's files read-only",
    "cannot set up the namespaces",
];
const CREATE: usize = 0;
const MAP: usize = 1;
const SEPARATE: usize = 2;
const KEEP: usize = 3;
const PROTECT: usize = 4;
const OTHER: usize = 5;

/// Devices that programs may use. All others are hidden, because root owns them in the sandbox too.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// What the holder needs, prepared before it is born: it may not allocate.
struct Setup {
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
    writable: Vec<CString>,
    /// Options of the file system in memory for the first of them, if it gets one.
    memory: Option<CString>,
    /// Where the new `/dev` is built before it is moved into place.
    devices: CString,
    shm: CString,
    device_pairs: Vec<(CString, CString)>,
    control: RawFd,
    ready: RawFd,
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
    /// Makes the namespaces.
    pub fn new(layout: &Layout<'_>) -> Result<Sandbox, SandboxError> {
        let other = |source| SandboxError { step: STEPS[OTHER], source };
        let c_path = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(|e| other(e.into()));
        // SAFETY: these calls only return numbers.
        let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
        let (control_read, control) = pipe().map_err(other)?;
        let (ready, ready_write) = pipe().map_err(other)?;
        let devices = layout.scratch;
        let mut device_pairs = Vec::new();
        for name in DEVICES {
            device_pairs.push((c_path(&Path::new("/dev").join(name))?, c_path(&devices.join(name))?));
        }
        let setup = Setup {
            uid_map: format!("{USER} {uid} 1\n").into_bytes(),
            gid_map: format!("{USER} {gid} 1\n").into_bytes(),
            writable: std::iter::once(layout.run).chain(layout.also).map(c_path).collect::<Result<_, _>>()?,
            memory: layout.in_memory.and_then(|size| CString::new(format!("size={size},mode=755")).ok()),
            devices: c_path(devices)?,
            shm: c_path(&devices.join("shm"))?,
            device_pairs,
            control: control_read.as_raw_fd(),
            ready: ready_write.as_raw_fd(),
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
        // `cat` insists on an output, though it never writes any.
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(null, 1);
        libc::dup2(null, 2);
        libc::close_range(3, libc::c_uint::MAX, 0);
        // Another program has none of our memory: this copy would otherwise keep every page alive that the
        // original replaces. `cat` ends when the pipe closes.
        let args = [c"cat".as_ptr(), ptr::null()];
        libc::execve(c"/bin/cat".as_ptr(), args.as_ptr(), [ptr::null::<c_char>()].as_ptr());
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
        for (index, path) in setup.writable.iter().enumerate() {
            let path = path.as_ptr();
            let mounted = match &setup.memory {
                Some(options) if index == 0 => {
                    let flags = libc::MS_NOSUID | libc::MS_NODEV;
                    libc::mount(c"tmpfs".as_ptr(), path, c"tmpfs".as_ptr(), flags, options.as_ptr().cast())
                }
                _ => libc::mount(path, path, none, libc::MS_BIND, data),
            };
            ok(mounted, KEEP)?;
        }
        ok(attributes(c"/".as_ptr(), AT_RECURSIVE, MOUNT_ATTR_RDONLY, 0), PROTECT)?;
        for path in &setup.writable {
            ok(attributes(path.as_ptr(), 0, 0, MOUNT_ATTR_RDONLY), KEEP)?;
        }

        // The rest only hides more; a container that forbids it is isolated well enough.
        libc::sethostname(HOST_NAME.as_ptr().cast(), HOST_NAME.len());
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        libc::mount(c"proc".as_ptr(), c"/proc".as_ptr(), c"proc".as_ptr(), flags | libc::MS_RDONLY, data);
        arrange_devices(setup);
    }
    Ok(())
}

unsafe fn arrange_devices(setup: &Setup) {
    let none = ptr::null::<c_char>();
    let data = ptr::null();
    let devices = setup.devices.as_ptr();
    // SAFETY: as for `arrange`.
    unsafe {
        let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
        let size = c"size=16m,mode=755";
        if libc::mount(c"tmpfs".as_ptr(), devices, c"tmpfs".as_ptr(), flags, size.as_ptr().cast()) != 0 {
            return;
        }
        for (host, inside) in &setup.device_pairs {
            let fd = libc::open(inside.as_ptr(), libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC, 0o666);
            if fd >= 0 {
                libc::close(fd);
                libc::mount(host.as_ptr(), inside.as_ptr(), none, libc::MS_BIND, data);
            }
        }
        libc::mkdir(setup.shm.as_ptr(), 0o1777);
        libc::mount(devices, c"/dev".as_ptr(), none, libc::MS_MOVE, data);
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
