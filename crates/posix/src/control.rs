//! Descriptors themselves: duplicates, flags, locks, pipes, and the requests of `ioctl`. Nothing is a terminal, as in
//! native runs.

use crate::call::{Call, OrStop, Stop, Sys, fail};
use crate::descriptors::{Description, O_APPEND, O_CLOEXEC, O_NONBLOCK, O_PATH, O_WRONLY};
use crate::errno::{EBADF, EINVAL, EMFILE, ENOTTY, EPERM};
use crate::inode::{Inode, Node};
use crate::open::close_number;
use crate::pipes::{CAPACITY, Pipe};
use crate::world::now;

/// `dup(fd)`
pub(crate) fn dup(c: &mut Call<'_>) -> Sys {
    let fd = c.fd(0)?;
    c.world().descriptors.get(fd).or_stop()?;
    duplicate_from(c, fd, 0, false)
}

fn duplicate_from(c: &mut Call<'_>, fd: i32, least: u64, cloexec: bool) -> Sys {
    let to = c.world().descriptors.free(least).or_stop()?;
    c.world_mut().descriptors.duplicate(fd, to, cloexec).or_stop()?;
    Ok(to as u64)
}

/// `dup2(from, to)` and `dup3(from, to, flags)`
pub(crate) fn dup2(c: &mut Call<'_>, three: bool) -> Sys {
    let (from, to) = (c.fd(0)?, c.fd(1)?);
    let flags = if three { c.word(2, "flags")? as u32 } else { 0 };
    if flags & !O_CLOEXEC != 0 || (three && from == to) {
        return fail(EINVAL);
    }
    let descriptors = &c.world().descriptors;
    if to < 0 || to as u64 >= descriptors.limit {
        return fail(EBADF);
    }
    descriptors.get(from).or_stop()?;
    if from == to {
        return Ok(to as u64);
    }
    if descriptors.get(to).is_ok() {
        close_number(c, to)?;
    }
    c.world_mut().descriptors.duplicate(from, to, flags & O_CLOEXEC != 0).or_stop()?;
    Ok(to as u64)
}

/// `fcntl(fd, command, argument)`
pub(crate) fn fcntl(c: &mut Call<'_>) -> Sys {
    const F_DUPFD: i32 = 0;
    const F_GETFD: i32 = 1;
    const F_SETFD: i32 = 2;
    const F_GETFL: i32 = 3;
    const F_SETFL: i32 = 4;
    const F_GETLK: i32 = 5;
    const F_SETLK: i32 = 6;
    const F_SETLKW: i32 = 7;
    const F_SETOWN: i32 = 8;
    const F_GETOWN: i32 = 9;
    const F_OFD_GETLK: i32 = 36;
    const F_OFD_SETLK: i32 = 37;
    const F_OFD_SETLKW: i32 = 38;
    const F_DUPFD_CLOEXEC: i32 = 1030;
    const F_GETPIPE_SZ: i32 = 1032;
    /// O_APPEND, O_NONBLOCK, O_ASYNC, O_DIRECT, O_NOATIME
    const CHANGEABLE: u32 = O_APPEND | O_NONBLOCK | 0o20000 | 0o40000 | 0o1000000;
    let fd = c.fd(0)?;
    let command = c.int(1, "a command of fcntl")?;
    let d = *c.world().descriptors.get(fd).or_stop()?;
    let only_path = d.flags & O_PATH != 0;
    if only_path && !matches!(command, F_DUPFD | F_DUPFD_CLOEXEC | F_GETFD | F_SETFD | F_GETFL) {
        return fail(EBADF);
    }
    match command {
        F_DUPFD | F_DUPFD_CLOEXEC => {
            let least = c.word(2, "a descriptor")?;
            if least >= c.world().descriptors.limit {
                return fail(EINVAL);
            }
            duplicate_from(c, fd, least, command == F_DUPFD_CLOEXEC)
        }
        F_GETFD => Ok(u64::from(c.world().descriptors.cloexec(fd).or_stop()?)),
        F_SETFD => {
            let on = c.word(2, "a flag")? & 1 != 0;
            c.world_mut().descriptors.set_cloexec(fd, on).or_stop()?;
            Ok(0)
        }
        F_GETFL => Ok(d.flags as u64),
        F_SETFL => {
            let flags = c.word(2, "flags")? as u32;
            let d = c.world_mut().descriptors.get_mut(fd).or_stop()?;
            d.flags = d.flags & !CHANGEABLE | flags & CHANGEABLE;
            Ok(0)
        }
        F_GETLK | F_OFD_GETLK => {
            // Nobody else holds a lock.
            const F_UNLCK: u16 = 2;
            let at = c.address(2)?;
            lock_kind(c, at, &d)?;
            c.store_plain(at, &F_UNLCK.to_le_bytes())?;
            Ok(0)
        }
        F_SETLK | F_SETLKW | F_OFD_SETLK | F_OFD_SETLKW => {
            let at = c.address(2)?;
            match lock_kind(c, at, &d)? {
                0 if !d.readable() => fail(EBADF),
                1 if !d.writable() => fail(EBADF),
                _ => Ok(0),
            }
        }
        F_SETOWN => Ok(0),
        F_GETOWN => Ok(0),
        F_GETPIPE_SZ => match c.world().inode(d.ino).node {
            Node::Pipe(_) | Node::Output(_) => Ok(CAPACITY as u64),
            _ => fail(EBADF),
        },
        _ => fail(EINVAL),
    }
}

/// The kind of lock in a `struct flock`: read, write or none.
fn lock_kind(c: &mut Call<'_>, at: u64, _: &Description) -> Result<u16, Stop> {
    let bytes = c.load(at, 32)?;
    let v = c.vm.value_from_bytes(&bytes[..4], 32);
    let word = c.vm.concretize(c.st, v, 32, "a lock")?;
    let (kind, whence) = (word as u16, (word >> 16) as u16);
    if kind > 2 || whence > 2 { fail(EINVAL) } else { Ok(kind) }
}

/// `flock(fd, operation)`
pub(crate) fn flock(c: &mut Call<'_>) -> Sys {
    let fd = c.fd(0)?;
    let operation = c.int(1, "a lock")?;
    let d = *c.world().descriptors.get(fd).or_stop()?;
    match operation & !4 {
        _ if d.flags & O_PATH != 0 => fail(EBADF),
        1 | 2 | 8 => Ok(0),
        _ => fail(EINVAL),
    }
}

/// `pipe(two numbers)` and `pipe2(two numbers, flags)`
pub(crate) fn pipe(c: &mut Call<'_>, two: bool) -> Sys {
    const O_DIRECT: u32 = 0o40000;
    let at = c.address(0)?;
    let flags = if two { c.word(1, "flags")? as u32 } else { 0 };
    if flags & !(O_CLOEXEC | O_NONBLOCK | O_DIRECT) != 0 {
        return fail(EINVAL);
    }
    let limit = c.world().descriptors.limit;
    let first = c.world().descriptors.free(0).or_stop()?;
    let second = c.world().descriptors.free(first as u64 + 1).or_stop()?;
    if second as u64 >= limit {
        return fail(EMFILE);
    }
    c.check(at, 8, true)?;
    let now = now(c.st);
    let world = c.world_mut();
    let mut inode = Inode::new(Node::Pipe(Pipe::default()), 0o600, now);
    inode.links = 1;
    let ino = world.tree.add_outside(inode);
    let status = flags & (O_NONBLOCK | O_DIRECT);
    let cloexec = flags & O_CLOEXEC != 0;
    let mut numbers = Vec::new();
    for access in [0, O_WRONLY] {
        let fd = world
            .descriptors
            .open(Description { ino, offset: 0, flags: access | status }, cloexec)
            .or_stop()?;
        numbers.extend((fd as u32).to_le_bytes());
    }
    c.store_plain(at, &numbers)?;
    Ok(0)
}

/// `ioctl(fd, request, argument)`
pub(crate) fn ioctl(c: &mut Call<'_>) -> Sys {
    const FIONBIO: u32 = 0x5421;
    const FIONREAD: u32 = 0x541b;
    const FIOCLEX: u32 = 0x5451;
    const FIONCLEX: u32 = 0x5450;
    const FIOQSIZE: u32 = 0x5460;
    let fd = c.fd(0)?;
    let request = c.word(1, "a request")? as u32;
    let d = *c.world().descriptors.get(fd).or_stop()?;
    if d.flags & O_PATH != 0 {
        return fail(EBADF);
    }
    match request {
        FIOCLEX | FIONCLEX => {
            c.world_mut().descriptors.set_cloexec(fd, request == FIOCLEX).or_stop()?;
            Ok(0)
        }
        FIONBIO => {
            let at = c.address(2)?;
            let bytes = c.load(at, 4)?;
            let v = c.vm.value_from_bytes(&bytes, 32);
            let on = c.vm.concretize(c.st, v, 32, "a flag")? != 0;
            let d = c.world_mut().descriptors.get_mut(fd).or_stop()?;
            d.flags = if on { d.flags | O_NONBLOCK } else { d.flags & !O_NONBLOCK };
            Ok(0)
        }
        FIONREAD => {
            let at = c.address(2)?;
            let inode = c.world().inode(d.ino);
            let n = match &inode.node {
                Node::File(content) => (content.len() as i64 - d.offset as i64) as i32,
                Node::Pipe(pipe) => pipe.len() as i32,
                Node::Output(_) => 0,
                _ => return fail(ENOTTY),
            };
            c.store_plain(at, &n.to_le_bytes())?;
            Ok(0)
        }
        FIOQSIZE => {
            let at = c.address(2)?;
            let inode = c.world().inode(d.ino);
            match inode.node {
                Node::File(_) | Node::Directory(_) | Node::Symlink(_) => {
                    c.store_plain(at, &inode.size().to_le_bytes())?;
                    Ok(0)
                }
                _ => fail(ENOTTY),
            }
        }
        _ => fail(ENOTTY),
    }
}

/// `fadvise64(fd, offset, n, advice)`
pub(crate) fn advise(c: &mut Call<'_>) -> Sys {
    let fd = c.fd(0)?;
    let advice = c.int(3, "advice")?;
    let d = *c.world().descriptors.get(fd).or_stop()?;
    if d.flags & O_PATH != 0 {
        return fail(EBADF);
    }
    match c.world().inode(d.ino).node {
        Node::Pipe(_) | Node::Output(_) => fail(crate::errno::ESPIPE),
        _ if !(0..=5).contains(&advice) => fail(EINVAL),
        _ => Ok(0),
    }
}

/// `fsync(fd)` and `fdatasync(fd)`
pub(crate) fn sync(c: &mut Call<'_>) -> Sys {
    let fd = c.fd(0)?;
    let d = *c.world().descriptors.get(fd).or_stop()?;
    match c.world().inode(d.ino).node {
        _ if d.flags & O_PATH != 0 => fail(EBADF),
        Node::File(_) | Node::Directory(_) => Ok(0),
        _ => fail(EINVAL),
    }
}

/// Extended attributes: the file must exist, and has none. `by` says how it is named: 0 a path, 1 a path whose last
/// link is not followed, 2 a descriptor.
pub(crate) fn attributes(c: &mut Call<'_>, by: u32, otherwise: Attribute) -> Sys {
    let ino = match by {
        2 => {
            let fd = c.fd(0)?;
            c.world().descriptors.get(fd).or_stop()?.ino
        }
        _ => c.find_existing(None, 0, by == 0)?,
    };
    match otherwise {
        Attribute::List => Ok(0),
        Attribute::Get | Attribute::Remove => fail(crate::errno::ENODATA),
        Attribute::Set if c.world().inode(ino).uid != crate::inode::USER => fail(EPERM),
        Attribute::Set => fail(crate::errno::EOPNOTSUPP),
    }
}

/// What is asked of extended attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Attribute {
    Set,
    Get,
    List,
    Remove,
}
