//! Changing what is known of a file: permissions, owners, times, sizes.

use crate::call::{Call, OrStop, Stop, Sys, fail};
use crate::descriptors::O_PATH;
use crate::errno::{EACCES, EBADF, EFBIG, EINVAL, EISDIR, ENODEV, EOPNOTSUPP, EPERM, EROFS, ESPIPE};
use crate::failures::Failing;
use crate::inode::{GROUP, Ino, Inode, Node, Time, USER};
use crate::open::owned;
use crate::stat::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, at_target};
use crate::transfer::{size_limit, too_large};
use crate::world::now;

/// Greatest size of a file.
const LARGEST: u64 = (1 << 44) - 4096;

/// The inode of a descriptor that may be used.
fn of_descriptor(c: &Call<'_>, fd: i32) -> Result<Ino, Stop> {
    let d = c.world().descriptors.get(fd).or_stop()?;
    if d.flags & O_PATH != 0 { fail(EBADF) } else { Ok(d.ino) }
}

/// `chmod(path, mode)`
pub(crate) fn chmod(c: &mut Call<'_>) -> Sys {
    let mode = c.word(1, "a mode")? as u32;
    let ino = c.find_existing(None, 0, true)?;
    set_mode(c, ino, mode)
}

/// `fchmod(fd, mode)`
pub(crate) fn fchmod(c: &mut Call<'_>) -> Sys {
    let (fd, mode) = (c.fd(0)?, c.word(1, "a mode")? as u32);
    let ino = of_descriptor(c, fd)?;
    set_mode(c, ino, mode)
}

/// `fchmodat(directory, path, mode)`
pub(crate) fn fchmodat(c: &mut Call<'_>) -> Sys {
    let mode = c.word(2, "a mode")? as u32;
    let ino = c.find_existing(Some(0), 1, true)?;
    set_mode(c, ino, mode)
}

fn set_mode(c: &mut Call<'_>, ino: Ino, mode: u32) -> Sys {
    let inode = c.world().inode(ino);
    if inode.read_only {
        return fail(EROFS);
    }
    owned(&inode)?;
    change(c, ino, |i| i.mode = mode & 0o7777);
    Ok(0)
}

/// Changes an inode, and the time of its last change.
fn change(c: &mut Call<'_>, ino: Ino, with: impl FnOnce(&mut Inode)) {
    let now = now(c.st);
    let inode = c.world_mut().tree.inode_mut(ino);
    with(inode);
    inode.times[2] = now;
}

/// `chown(path, user, group)` and `lchown`
pub(crate) fn chown(c: &mut Call<'_>, follow: bool) -> Sys {
    let (user, group) = (c.word(1, "a user")? as u32, c.word(2, "a group")? as u32);
    let ino = c.find_existing(None, 0, follow)?;
    set_owner(c, ino, user, group)
}

/// `fchown(fd, user, group)`
pub(crate) fn fchown(c: &mut Call<'_>) -> Sys {
    let (fd, user, group) = (c.fd(0)?, c.word(1, "a user")? as u32, c.word(2, "a group")? as u32);
    let ino = of_descriptor(c, fd)?;
    set_owner(c, ino, user, group)
}

/// `fchownat(directory, path, user, group, flags)`
pub(crate) fn fchownat(c: &mut Call<'_>) -> Sys {
    let (user, group) = (c.word(2, "a user")? as u32, c.word(3, "a group")? as u32);
    let flags = c.int(4, "flags")?;
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let ino = at_target(c, flags)?;
    set_owner(c, ino, user, group)
}

fn set_owner(c: &mut Call<'_>, ino: Ino, user: u32, group: u32) -> Sys {
    const UNCHANGED: u32 = u32::MAX;
    let inode = c.world().inode(ino);
    if inode.read_only {
        return fail(EROFS);
    }
    let mine = inode.uid == USER;
    let user_fine = user == UNCHANGED || (mine && user == USER);
    let group_fine = group == UNCHANGED || (mine && (group == GROUP || group == inode.gid));
    if !user_fine || !group_fine {
        return fail(EPERM);
    }
    change(c, ino, |i| {
        if group != UNCHANGED {
            i.gid = group;
        }
        if !i.is_directory() && (user, group) != (UNCHANGED, UNCHANGED) {
            i.mode &= !0o4000;
            if i.mode & 0o10 != 0 {
                i.mode &= !0o2000;
            }
        }
    });
    Ok(0)
}

/// A time to set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    Now,
    Omit,
    At(Time),
}

/// `utimensat(directory, path, times, flags)`
pub(crate) fn utimensat(c: &mut Call<'_>) -> Sys {
    const NOW: u64 = (1 << 30) - 1;
    const OMIT: u64 = (1 << 30) - 2;
    let (path, times) = (c.address(1)?, c.address(2)?);
    let flags = c.int(3, "flags")?;
    let mut wishes = [Wish::Now; 2];
    if times != 0 {
        for (i, w) in wishes.iter_mut().enumerate() {
            let seconds = c.load_word(times + 16 * i as u64, "a time")?;
            let nanos = c.load_word(times + 16 * i as u64 + 8, "a time")?;
            *w = match nanos {
                NOW => Wish::Now,
                OMIT => Wish::Omit,
                0..1_000_000_000 => Wish::At((seconds as i64, nanos as u32)),
                _ => return fail(EINVAL),
            };
        }
        if wishes == [Wish::Omit; 2] {
            return Ok(0);
        }
    }
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let ino = match path {
        0 => {
            let fd = c.fd(0)?;
            if flags != 0 {
                return fail(EINVAL);
            }
            of_descriptor(c, fd)?
        }
        _ => at_target(c, flags)?,
    };
    set_times(c, ino, wishes, times == 0)
}

/// `utime(path, two seconds)`; with microseconds, `utimes(path, times)`; with `at`, `futimesat(directory, path, times)`.
pub(crate) fn utimes(c: &mut Call<'_>, micros: bool, at: bool) -> Sys {
    let i = usize::from(at);
    let times = c.address(i + 1)?;
    let mut wishes = [Wish::Now; 2];
    if times != 0 {
        let step = if micros { 16 } else { 8 };
        for (k, w) in wishes.iter_mut().enumerate() {
            let from = times + step * k as u64;
            let seconds = c.load_word(from, "a time")? as i64;
            let part = if micros { c.load_word(from + 8, "a time")? } else { 0 };
            if part >= 1_000_000 {
                return fail(EINVAL);
            }
            *w = Wish::At((seconds, part as u32 * 1000));
        }
    }
    let ino = match at && c.address(1)? == 0 {
        true => {
            let fd = c.fd(0)?;
            of_descriptor(c, fd)?
        }
        false => c.find_existing(at.then_some(0), i, true)?,
    };
    set_times(c, ino, wishes, times == 0)
}

fn set_times(c: &mut Call<'_>, ino: Ino, wishes: [Wish; 2], to_now: bool) -> Sys {
    let inode = c.world().inode(ino);
    if inode.read_only {
        return fail(EROFS);
    }
    if inode.uid != USER {
        if !(to_now || wishes == [Wish::Now; 2]) {
            return fail(EPERM);
        }
        if !inode.allows(2) {
            return fail(EACCES);
        }
    }
    let present = now(c.st);
    change(c, ino, |i| {
        for (time, wish) in i.times.iter_mut().zip(wishes) {
            match wish {
                Wish::Now => *time = present,
                Wish::Omit => {}
                Wish::At(at) => *time = at,
            }
        }
    });
    Ok(0)
}

/// `truncate(path, size)`
pub(crate) fn truncate(c: &mut Call<'_>) -> Sys {
    let size = c.word(1, "a size")?;
    if (size as i64) < 0 {
        return fail(EINVAL);
    }
    let ino = c.find_existing(None, 0, true)?;
    let inode = c.world().inode(ino);
    match inode.node {
        Node::File(_) => {}
        _ if inode.is_directory() => return fail(EISDIR),
        _ => return fail(EINVAL),
    }
    if inode.read_only {
        return fail(EROFS);
    }
    if !inode.allows(2) {
        return fail(EACCES);
    }
    resize(c, ino, size)
}

/// `ftruncate(fd, size)`
pub(crate) fn ftruncate(c: &mut Call<'_>) -> Sys {
    let (fd, size) = (c.fd(0)?, c.word(1, "a size")?);
    if (size as i64) < 0 {
        return fail(EINVAL);
    }
    let ino = of_descriptor(c, fd)?;
    let writable = c.world().descriptors.get(fd).or_stop()?.writable();
    if !writable || !matches!(c.world().inode(ino).node, Node::File(_)) {
        return fail(EINVAL);
    }
    c.may_fail(Failing::Truncate)?;
    c.served(Failing::Truncate);
    resize(c, ino, size)
}

fn resize(c: &mut Call<'_>, ino: Ino, size: u64) -> Sys {
    if size > LARGEST {
        return fail(EFBIG);
    }
    if size > size_limit(c) {
        return too_large(c);
    }
    let present = now(c.st);
    change(c, ino, |i| {
        if let Node::File(content) = &mut i.node {
            content.resize(size);
        }
        i.mode &= !0o6000;
        i.times[1] = present;
    });
    Ok(0)
}

/// `fallocate(fd, mode, offset, size)`
pub(crate) fn fallocate(c: &mut Call<'_>) -> Sys {
    const KEEP_SIZE: i32 = 1;
    let (fd, mode) = (c.fd(0)?, c.int(1, "a mode")?);
    let (offset, size) = (c.word(2, "an offset")? as i64, c.word(3, "a size")? as i64);
    let ino = of_descriptor(c, fd)?;
    if offset < 0 || size <= 0 {
        return fail(EINVAL);
    }
    if mode & !KEEP_SIZE != 0 {
        return fail(EOPNOTSUPP);
    }
    if !c.world().descriptors.get(fd).or_stop()?.writable() {
        return fail(EBADF);
    }
    let inode = c.world().inode(ino);
    let len = match &inode.node {
        Node::File(content) => content.len(),
        Node::Pipe(_) | Node::Output(_) => return fail(ESPIPE),
        Node::Directory(_) => return fail(EISDIR),
        _ => return fail(ENODEV),
    };
    let end = (offset as u64).saturating_add(size as u64);
    if end > LARGEST {
        return fail(EFBIG);
    }
    if mode & KEEP_SIZE == 0 && end > len {
        return resize(c, ino, end);
    }
    Ok(0)
}

/// `memfd_create(name, flags)`
pub(crate) fn memfd_create(c: &mut Call<'_>) -> Sys {
    use crate::descriptors::{Description, O_LARGEFILE, O_RDWR};
    const CLOEXEC: u64 = 1;
    const ALLOW_SEALING: u64 = 2;
    let (name, flags) = (c.address(0)?, c.word(1, "flags")?);
    if flags & !(CLOEXEC | ALLOW_SEALING) != 0 || c.string(name)?.len() > 249 {
        return fail(EINVAL);
    }
    c.world().descriptors.free(0).or_stop()?;
    let now = now(c.st);
    let world = c.world_mut();
    let mut inode = Inode::new(Node::File(Default::default()), 0o777, now);
    inode.links = 0;
    let ino = world.tree.add_outside(inode);
    let d = Description { ino, offset: 0, flags: O_RDWR | O_LARGEFILE };
    Ok(world.descriptors.open(d, flags & CLOEXEC != 0).or_stop()? as u64)
}

/// `chroot`, `mount` and their like need rights that the program does not have.
pub(crate) fn not_permitted(c: &mut Call<'_>) -> Sys {
    c.find_existing(None, 0, true)?;
    fail(EPERM)
}
