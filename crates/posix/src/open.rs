//! Opening and closing: `open`, `openat`, `creat`, `close`, `close_range`, and what happens to an inode when nothing leads to it any
//! more.

use crate::call::{Call, OrStop, Stop, Sys, fail};
use crate::content::Content;
use crate::descriptors::{
    Description, O_ACCMODE, O_APPEND, O_CLOEXEC, O_CREAT, O_DIRECTORY, O_EXCL, O_LARGEFILE, O_NOFOLLOW,
    O_NONBLOCK, O_PATH, O_RDWR, O_TMPFILE_BIT, O_TRUNC, O_WRONLY,
};
use crate::errno::{EACCES, EEXIST, EINVAL, EISDIR, ELOOP, ENOENT, ENOTDIR, ENXIO, EPERM, EROFS};
use crate::failures::Failing;
use crate::inode::{Device, Ino, Inode, Node};
use crate::names::{Follow, Found, Last};
use crate::paths::Wanted;
use crate::world::now;
use forkwise_vm::{Fault, FaultKind, Termination};

/// Status flags that a description remembers, besides the access mode.
const REMEMBERED: u32 = O_APPEND | O_NONBLOCK | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_PATH | STATUS;
/// O_DSYNC, O_ASYNC, O_DIRECT, O_NOATIME, O_SYNC
const STATUS: u32 = 0o10000 | 0o20000 | 0o40000 | 0o1000000 | 0o4000000;

/// `open(path, flags, mode)`; with `at`, `openat(directory, path, flags, mode)`.
pub(crate) fn open(c: &mut Call<'_>, at: bool) -> Sys {
    let i = usize::from(at);
    let flags = c.word(i + 1, "flags of open")? as u32;
    let mode = if flags & (O_CREAT | O_TMPFILE_BIT) != 0 { c.word(i + 2, "a mode")? as u32 } else { 0 };
    open_with(c, at.then_some(0), i, flags, mode)
}

/// `creat(path, mode)`
pub(crate) fn creat(c: &mut Call<'_>) -> Sys {
    let mode = c.word(1, "a mode")? as u32;
    open_with(c, None, 0, O_CREAT | O_WRONLY | O_TRUNC, mode)
}

fn open_with(c: &mut Call<'_>, at: Option<usize>, i: usize, flags: u32, mode: u32) -> Sys {
    let create = flags & O_CREAT != 0 && flags & O_PATH == 0;
    if flags & O_TMPFILE_BIT != 0 && flags & O_DIRECTORY != 0 {
        return temporary(c, at, i, flags, mode);
    }
    if create && flags & O_DIRECTORY != 0 {
        return fail(EINVAL);
    }
    let follow = flags & O_NOFOLLOW == 0 && !(create && flags & O_EXCL != 0);
    let wanted = if create { Wanted::Creatable } else { Wanted::Existing };
    let (start, path) = c.path(at, i, wanted)?;
    if create && path.ends_with(b"/") {
        // Files are made, and a slash says that it is a directory.
        c.world().walk(start, &path, Follow::Entry).or_stop()?;
        return fail(EISDIR);
    }
    let found = c.world().walk(start, &path, follow.into()).or_stop()?;
    let free = c.world().descriptors.free(0);
    // Linux looks for a free number first.
    free.or_stop()?;
    let (ino, made) = match found.ino {
        Some(_) if create && flags & O_EXCL != 0 => return fail(EEXIST),
        Some(_) if create && found.last != Last::Name => return fail(EISDIR),
        Some(ino) => (ino, false),
        None if !create => return fail(ENOENT),
        None => (make(c, &found, Node::File(Content::default()), mode)?, true),
    };
    if !made {
        check_open(c, ino, flags)?;
    }
    if flags & O_TRUNC != 0 && !made {
        truncate_on_open(c, ino);
    }
    finish(c, ino, flags)
}

/// May what exists be opened like this?
fn check_open(c: &mut Call<'_>, ino: Ino, flags: u32) -> Result<(), Stop> {
    let inode = c.world().inode(ino);
    if let Node::Symlink(_) = inode.node
        && flags & O_PATH == 0
    {
        return fail(ELOOP);
    }
    if flags & O_DIRECTORY != 0 && !inode.is_directory() {
        return fail(ENOTDIR);
    }
    if flags & O_PATH != 0 {
        return Ok(());
    }
    let mut want = match flags & O_ACCMODE {
        0 => 4,
        O_WRONLY => 2,
        _ => 6,
    };
    if flags & O_TRUNC != 0 {
        want |= 2;
    }
    if inode.is_directory() && (want & 2 != 0 || flags & O_CREAT != 0) {
        return fail(EISDIR);
    }
    let regular = matches!(inode.node, Node::File(_));
    if regular && want & 2 != 0 && inode.read_only {
        return fail(EROFS);
    }
    if !inode.allows(want) {
        return fail(EACCES);
    }
    match &inode.node {
        Node::Device(Device::Tty) => fail(ENXIO),
        // Who opens the pipe of an output for reading would wait for what it writes itself.
        Node::Pipe(_) => open_fifo(c, ino, flags),
        _ => Ok(()),
    }
}

/// A named pipe opens when both ends are there; one process cannot open the second while it waits.
fn open_fifo(c: &mut Call<'_>, ino: Ino, flags: u32) -> Result<(), Stop> {
    let (readers, writers) = ends(c, ino);
    match flags & O_ACCMODE {
        0 if writers || flags & O_NONBLOCK != 0 => Ok(()),
        O_WRONLY if readers => Ok(()),
        O_WRONLY if flags & O_NONBLOCK != 0 => fail(ENXIO),
        O_RDWR => Ok(()),
        _ => Err(forever("opening a named pipe whose other end nobody opens").into()),
    }
}

/// Are there readers and writers of a pipe?
pub(crate) fn ends(c: &Call<'_>, ino: Ino) -> (bool, bool) {
    let all = || c.world().descriptors.all().filter(|d| d.ino == ino);
    (all().any(Description::readable), all().any(Description::writable))
}

/// A path on which the program waits for something that cannot happen.
pub(crate) fn forever(what: &str) -> Termination {
    Fault::new(FaultKind::InstructionLimit, format!("{what} waits forever: there is no other process")).end()
}

/// Makes an inode with a name.
pub(crate) fn make(c: &mut Call<'_>, found: &Found, node: Node, mode: u32) -> Result<Ino, Stop> {
    let parent = c.world().inode(found.parent);
    if parent.read_only {
        return fail(EROFS);
    }
    let Node::Directory(d) = &parent.node else { return fail(EACCES) };
    if parent.links == 0 {
        return fail(ENOENT);
    }
    if !parent.allows(3) {
        return fail(EACCES);
    }
    debug_assert!(d.get(&found.name).is_none(), "the name must be free");
    let now = now(c.st);
    let world = c.world_mut();
    let mode = if matches!(node, Node::Symlink(_)) { 0o777 } else { mode & 0o7777 & !world.umask };
    let is_directory = matches!(node, Node::Directory(_));
    let mut inode = Inode::new(node, mode, now);
    if is_directory {
        inode.links = 2;
    }
    let ino = world.tree.add(inode);
    let parent = world.tree.inode_mut(found.parent);
    parent.times[1] = now;
    parent.times[2] = now;
    parent.links += u32::from(is_directory);
    if let Node::Directory(d) = &mut parent.node {
        d.insert(&found.name, ino);
    }
    Ok(ino)
}

/// `O_TMPFILE`: a file without a name in a directory that must exist.
fn temporary(c: &mut Call<'_>, at: Option<usize>, i: usize, flags: u32, mode: u32) -> Sys {
    if !matches!(flags & O_ACCMODE, O_WRONLY | O_RDWR) {
        return fail(EINVAL);
    }
    let directory = c.find_existing(at, i, true)?;
    let inode = c.world().inode(directory);
    if !inode.is_directory() {
        return fail(ENOTDIR);
    }
    if inode.read_only {
        return fail(EROFS);
    }
    if !inode.allows(3) {
        return fail(EACCES);
    }
    c.world().descriptors.free(0).or_stop()?;
    let now = now(c.st);
    let world = c.world_mut();
    let mut inode = Inode::new(Node::File(Content::default()), mode & 0o7777 & !world.umask, now);
    inode.links = 0;
    let ino = world.tree.add(inode);
    finish(c, ino, flags)
}

fn truncate_on_open(c: &mut Call<'_>, ino: Ino) {
    let now = now(c.st);
    if let Node::File(_) = c.world().inode(ino).node {
        let inode = c.world_mut().tree.inode_mut(ino);
        inode.node = Node::File(Content::default());
        (inode.times[1], inode.times[2]) = (now, now);
    }
}

fn finish(c: &mut Call<'_>, ino: Ino, flags: u32) -> Sys {
    // The C library of a 64-bit system sets O_LARGEFILE; the kernel does so anyway.
    let kept = if flags & O_PATH != 0 {
        flags & (O_PATH | O_DIRECTORY | O_NOFOLLOW)
    } else {
        flags & (O_ACCMODE | REMEMBERED) | O_LARGEFILE
    };
    let description = Description { ino, offset: 0, flags: kept };
    let fd = c.world_mut().descriptors.open(description, flags & O_CLOEXEC != 0).or_stop()?;
    Ok(fd as u64)
}

/// `close(fd)`
pub(crate) fn close(c: &mut Call<'_>) -> Sys {
    let fd = c.fd(0)?;
    c.world().descriptors.get(fd).or_stop()?;
    c.may_fail(Failing::Close)?;
    c.served(Failing::Close);
    close_number(c, fd)?;
    Ok(0)
}

/// Closes a descriptor that is open.
pub(crate) fn close_number(c: &mut Call<'_>, fd: i32) -> Result<(), Stop> {
    if let Some(description) = c.world_mut().descriptors.close(fd).or_stop()? {
        release(c, description.ino);
    }
    Ok(())
}

/// Forgets an inode without names that is not open.
pub(crate) fn release(c: &mut Call<'_>, ino: Ino) {
    let world = c.world();
    let inode = world.inode(ino);
    if inode.links == 0 && world.cwd != ino && !world.descriptors.all().any(|d| d.ino == ino) {
        c.world_mut().tree.forget(ino);
    }
}

/// `close_range(first, last, flags)`
pub(crate) fn close_range(c: &mut Call<'_>) -> Sys {
    const CLOEXEC: u32 = 4;
    let (first, last) = (c.word(0, "a descriptor")? as u32, c.word(1, "a descriptor")? as u32);
    let flags = c.word(2, "flags")? as u32;
    if first > last || flags & !(CLOEXEC | 2) != 0 {
        return fail(EINVAL);
    }
    let all: Vec<i32> =
        c.world().descriptors.numbers().filter(|n| (first..=last).contains(&(*n as u32))).collect();
    for fd in all {
        if flags & CLOEXEC != 0 {
            c.world_mut().descriptors.set_cloexec(fd, true).or_stop()?;
        } else {
            close_number(c, fd)?;
        }
    }
    Ok(0)
}

/// `EPERM` where the program's user does not own a file.
pub(crate) fn owned(inode: &Inode) -> Result<(), Stop> {
    if inode.uid == crate::inode::USER { Ok(()) } else { fail(EPERM) }
}
