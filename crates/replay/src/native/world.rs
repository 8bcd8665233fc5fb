//! What programs see in a sandbox, as a list of steps that its holder takes: the engine's world as far as possible. A
//! program that needs nothing of the host gets a root of its own with nothing but the engine's files; any other gets the
//! host's files, read-only. In both the working directory is [`WORKING_DIRECTORY`], in memory, and the only place to
//! write. Steps are prepared here because the holder may not allocate; [`super::sandbox`] takes them.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libc::c_ulong;

/// Where programs start. The engine's programs do, too.
pub const WORKING_DIRECTORY: &str = "/tmp/work";
/// Where they find tests of harnesses.
pub const INPUTS: &str = "/dev/.forkwise";
/// Where programs built with `gcc --coverage` put their counters.
pub const GCOV: &str = "/dev/.gcov";

/// How much a run's files may take, all together.
const WORK_SIZE: u64 = 256 << 20;
/// The engine's users. Whoever runs a program outside, inside it is the second one.
const PASSWD: &[u8] = b"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp/work:/bin/sh\n";
const GROUP: &[u8] = b"root:x:0:\nuser:x:1000:\n";
/// Devices that programs may use. All others are hidden.
const DEVICES: &[&str] = &["null", "zero", "full", "tty", "random", "urandom"];
/// Links beside them.
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// What a sandbox shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// Nothing of the host, for programs that need nothing of it. They are executed by descriptor.
    pub minimal: bool,
    /// Something below `/tmp` that the program needs, itself for instance; the rest is hidden.
    pub visible: Option<PathBuf>,
    /// A directory that is [`INPUTS`] inside.
    pub inputs: Option<PathBuf>,
    /// A directory that is [`GCOV`] inside, and writable.
    pub gcov: Option<PathBuf>,
}

/// One step.
#[derive(Debug)]
pub(super) enum Action {
    Directory(CString, u32),
    File(CString, &'static [u8]),
    Link(CString, CString),
    Remove(CString),
    /// An empty file system in memory, with these flags and options.
    Memory(CString, c_ulong, CString),
    /// Shows the first also at the second.
    Bind(CString, CString),
    Move(CString, CString),
    Processes(CString),
    /// Makes this the root, and forgets the old one.
    Root(CString),
    ReadOnly(CString),
    Writable(CString),
    /// As old as the engine's clock.
    Date(CString),
}

/// A step, and whether there is no sandbox without it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) needed: bool,
}

struct Steps {
    all: Vec<Step>,
}

impl Steps {
    fn needed(&mut self, action: Action) {
        self.all.push(Step { action, needed: true });
    }

    /// For what only hides or shows more; a system that forbids it is isolated well enough.
    fn wanted(&mut self, action: Action) {
        self.all.push(Step { action, needed: false });
    }
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

impl World {
    /// The steps. `scratch` is an empty directory of the host.
    pub(super) fn steps(&self, scratch: &Path) -> io::Result<Vec<Step>> {
        let mut steps = Steps { all: Vec::new() };
        match self.minimal {
            true => self.minimal_root(scratch, &mut steps)?,
            false => self.host_root(scratch, &mut steps)?,
        }
        let work = c_path(Path::new(WORKING_DIRECTORY))?;
        steps.needed(Action::ReadOnly(CString::from(c"/")));
        steps.needed(Action::Writable(work));
        if self.gcov.is_some() {
            steps.needed(Action::Writable(c_path(Path::new(GCOV))?));
        }
        Ok(steps.all)
    }

    /// tmpfs numbers inodes in the order in which they are made: it must be that of the engine (`tree.rs` in
    /// `crates/posix`).
    fn minimal_root(&self, root: &Path, steps: &mut Steps) -> io::Result<()> {
        let at = |name: &str| c_path(&root.join(name));
        steps.needed(memory(c_path(root)?, libc::MS_NOSUID, 1 << 20, 0o755)?);
        steps.needed(Action::Directory(at("dev")?, 0o755));
        devices(&root.join("dev"), steps)?;
        steps.needed(Action::Directory(at("etc")?, 0o755));
        steps.needed(Action::File(at("etc/passwd")?, PASSWD));
        steps.needed(Action::File(at("etc/group")?, GROUP));
        // Of the kernel's file system the engine has the descriptors only. The rest can be reached by who knows where it
        // is, but no listing of directories leads there.
        steps.needed(Action::Directory(at("proc")?, 0o111));
        steps.needed(Action::Directory(at("proc/self")?, 0o111));
        steps.needed(Action::Link(c".kernel/self/fd".into(), at("proc/self/fd")?));
        steps.needed(Action::Directory(at("proc/self/.kernel")?, 0o555));
        steps.needed(Action::Directory(at("tmp")?, 0o1777));
        working_directory(&root.join("tmp"), steps)?;
        self.shown(&root.join("dev"), steps)?;
        for name in DEVICES.iter().copied().chain(LINKS.iter().map(|link| link.0)) {
            steps.wanted(Action::Date(at(&format!("dev/{name}"))?));
        }
        let proc = ["proc/self/fd", "proc/self/.kernel", "proc/self", "proc"];
        for name in ["etc/passwd", "etc/group", "etc", "dev"].into_iter().chain(proc).chain(["tmp", ""]) {
            steps.wanted(Action::Date(at(name)?));
        }
        steps.needed(Action::Processes(at("proc/self/.kernel")?));
        bind_devices(&root.join("dev"), steps)?;
        steps.needed(Action::Root(c_path(root)?));
        Ok(())
    }

    fn host_root(&self, scratch: &Path, steps: &mut Steps) -> io::Result<()> {
        let (devices, tmp) = (scratch.join("dev"), scratch.join("tmp"));
        for directory in [&devices, &tmp] {
            steps.needed(Action::Directory(c_path(directory)?, 0o755));
        }
        steps.needed(memory(c_path(&devices)?, libc::MS_NOSUID | libc::MS_NOEXEC, 16 << 20, 0o755)?);
        self::devices(&devices, steps)?;
        self.shown(&devices, steps)?;
        bind_devices(&devices, steps)?;
        for (name, text, target) in [("passwd", PASSWD, c"/etc/passwd"), ("group", GROUP, c"/etc/group")] {
            let file = c_path(&devices.join(name))?;
            steps.wanted(Action::File(file.clone(), text));
            steps.wanted(Action::Bind(file.clone(), target.into()));
            steps.wanted(Action::Remove(file));
        }
        steps.needed(memory(c_path(&tmp)?, libc::MS_NOSUID | libc::MS_NODEV, 1 << 20, 0o1777)?);
        working_directory(&tmp, steps)?;
        if let Some(visible) = &self.visible {
            let inside = tmp.join(visible.strip_prefix("/tmp").map_err(io::Error::other)?);
            steps.needed(match visible.is_dir() {
                true => Action::Directory(c_path(&inside)?, 0o755),
                false => Action::File(c_path(&inside)?, b""),
            });
            steps.needed(Action::Bind(c_path(visible)?, c_path(&inside)?));
        }
        steps.wanted(Action::Date(c_path(&tmp)?));
        // What is below /tmp on the host, such as `scratch`, is out of reach after the second.
        steps.needed(Action::Move(c_path(&devices)?, c"/dev".into()));
        steps.needed(Action::Move(c_path(&tmp)?, c"/tmp".into()));
        steps.wanted(Action::Processes(c"/proc".into()));
        Ok(())
    }

    /// What a run needs of the host beside the program itself.
    fn shown(&self, devices: &Path, steps: &mut Steps) -> io::Result<()> {
        for (inside, host) in [(INPUTS, &self.inputs), (GCOV, &self.gcov)] {
            if let (Some(host), Ok(below)) = (host, Path::new(inside).strip_prefix("/dev")) {
                let inside = c_path(&devices.join(below))?;
                steps.needed(Action::Directory(inside.clone(), 0o755));
                steps.needed(Action::Bind(c_path(host)?, inside));
            }
        }
        Ok(())
    }
}

/// Places for the devices, and the links beside them.
fn devices(directory: &Path, steps: &mut Steps) -> io::Result<()> {
    for name in DEVICES {
        steps.needed(Action::File(c_path(&directory.join(name))?, b""));
    }
    for (name, target) in LINKS {
        steps.wanted(Action::Link(CString::new(*target)?, c_path(&directory.join(name))?));
    }
    Ok(())
}

/// The host's devices at their places.
fn bind_devices(directory: &Path, steps: &mut Steps) -> io::Result<()> {
    for name in DEVICES {
        let inside = c_path(&directory.join(name))?;
        steps.wanted(Action::Bind(c_path(&Path::new("/dev").join(name))?, inside));
    }
    Ok(())
}

/// The working directory in a `/tmp` that is being built.
fn working_directory(tmp: &Path, steps: &mut Steps) -> io::Result<()> {
    let below = Path::new(WORKING_DIRECTORY).strip_prefix("/tmp").map_err(io::Error::other)?;
    let work = c_path(&tmp.join(below))?;
    steps.needed(Action::Directory(work.clone(), 0o755));
    // Reading changes no times, as in the engine.
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOATIME;
    steps.needed(memory(work, flags, WORK_SIZE, 0o755)?);
    Ok(())
}

fn memory(at: CString, flags: c_ulong, size: u64, mode: u32) -> io::Result<Action> {
    Ok(Action::Memory(at, flags, CString::new(format!("size={size},mode={mode:o}"))?))
}
