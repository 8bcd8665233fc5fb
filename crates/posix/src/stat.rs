//! What is known of a file: `stat` and its relatives, `access`, `statfs`.

use crate::call::{Call, OrStop, Stop, Sys, fail};
use crate::errno::{EACCES, EBADF, EFAULT, EINVAL, ENOENT, EROFS};
use crate::inode::{Ino, Inode, Node};
use crate::paths::{AT_FDCWD, Wanted};
use crate::tree::ROOT;

pub(crate) const AT_SYMLINK_NOFOLLOW: i32 = 0x100;
pub(crate) const AT_EMPTY_PATH: i32 = 0x1000;
const AT_NO_AUTOMOUNT: i32 = 0x800;
const BLOCK: u64 = 4096;

/// Numbers of the devices that things are on: files and directories; pipes.
fn device(inode: &Inode) -> (u32, u32) {
    match inode.node {
        Node::Pipe(_) | Node::Output(_) => (0, 14),
        _ => (8, 1),
    }
}

/// A device number as the kernel shows it.
fn encoded((major, minor): (u32, u32)) -> u64 {
    let (major, minor) = (major as u64, minor as u64);
    (major & 0xfff) << 8 | minor & 0xff | (minor & !0xff) << 12 | (major & !0xfff) << 32
}

fn special(inode: &Inode) -> (u32, u32) {
    match inode.node {
        Node::Device(d) => d.number(),
        _ => (0, 0),
    }
}

fn blocks(inode: &Inode) -> u64 {
    match inode.node {
        Node::File(_) => inode.size().div_ceil(BLOCK) * (BLOCK / 512),
        _ => 0,
    }
}

/// `struct stat`
pub(crate) fn stat_bytes(ino: Ino, inode: &Inode) -> [u8; 144] {
    let mut out = [0u8; 144];
    let mut word = |at: usize, v: u64| out[at..at + 8].copy_from_slice(&v.to_le_bytes());
    word(0, encoded(device(inode)));
    word(8, ino);
    word(16, inode.links as u64);
    word(24, (inode.kind() | inode.mode) as u64 | (inode.uid as u64) << 32);
    word(32, inode.gid as u64);
    word(40, encoded(special(inode)));
    word(48, inode.size());
    word(56, BLOCK);
    word(64, blocks(inode));
    for (i, t) in inode.times.iter().enumerate() {
        word(72 + 16 * i, t.0 as u64);
        word(80 + 16 * i, t.1 as u64);
    }
    out
}

/// `stat(path, buffer)` and `lstat(path, buffer)`
pub(crate) fn stat(c: &mut Call<'_>, follow: bool) -> Sys {
    let buffer = c.address(1)?;
    let ino = c.find_existing(None, 0, follow)?;
    write_stat(c, ino, buffer)
}

/// `fstat(fd, buffer)`
pub(crate) fn fstat(c: &mut Call<'_>) -> Sys {
    let (fd, buffer) = (c.fd(0)?, c.address(1)?);
    let ino = c.world().descriptors.get(fd).or_stop()?.ino;
    write_stat(c, ino, buffer)
}

/// `newfstatat(directory, path, buffer, flags)`
pub(crate) fn fstatat(c: &mut Call<'_>) -> Sys {
    let buffer = c.address(2)?;
    let flags = c.int(3, "flags")?;
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT) != 0 {
        return fail(EINVAL);
    }
    let ino = at_target(c, flags)?;
    write_stat(c, ino, buffer)
}

/// The target of a call with a directory (argument 0), a path (1) and flags: the descriptor itself for an empty path
/// under AT_EMPTY_PATH.
pub(crate) fn at_target(c: &mut Call<'_>, flags: i32) -> Result<Ino, Stop> {
    if flags & AT_EMPTY_PATH != 0 {
        let address = c.address(1)?;
        if c.string(address)?.is_empty() {
            return match c.fd(0)? {
                AT_FDCWD => Ok(c.world().cwd),
                fd => Ok(c.world().descriptors.get(fd).or_stop()?.ino),
            };
        }
    }
    c.find_existing(Some(0), 1, flags & AT_SYMLINK_NOFOLLOW == 0)
}

fn write_stat(c: &mut Call<'_>, ino: Ino, buffer: u64) -> Sys {
    let bytes = stat_bytes(ino, &c.world().inode(ino));
    c.store_plain(buffer, &bytes)?;
    Ok(0)
}

/// `statx(directory, path, flags, mask, buffer)`
pub(crate) fn statx(c: &mut Call<'_>) -> Sys {
    const SYNC_TYPE: i32 = 0x6000;
    const BASIC_STATS: u32 = 0x7ff;
    let flags = c.int(2, "flags")?;
    let mask = c.word(3, "a mask")? as u32;
    let buffer = c.address(4)?;
    let known = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT | SYNC_TYPE;
    if flags & !known != 0 || flags & SYNC_TYPE == SYNC_TYPE || mask & 0x8000_0000 != 0 {
        return fail(EINVAL);
    }
    if c.address(1)? == 0 && flags & AT_EMPTY_PATH == 0 {
        return fail(EFAULT);
    }
    let ino = at_target(c, flags)?;
    let inode = c.world().inode(ino);
    let mut out = [0u8; 256];
    let mut put = |at: usize, v: &[u8]| out[at..at + v.len()].copy_from_slice(v);
    put(0, &BASIC_STATS.to_le_bytes());
    put(4, &(BLOCK as u32).to_le_bytes());
    put(16, &inode.links.to_le_bytes());
    put(20, &inode.uid.to_le_bytes());
    put(24, &inode.gid.to_le_bytes());
    put(28, &((inode.kind() | inode.mode) as u16).to_le_bytes());
    put(32, &ino.to_le_bytes());
    put(40, &inode.size().to_le_bytes());
    put(48, &blocks(&inode).to_le_bytes());
    // atime, (btime), ctime, mtime
    for (at, t) in [(64, inode.times[0]), (96, inode.times[2]), (112, inode.times[1])] {
        put(at, &t.0.to_le_bytes());
        put(at + 8, &t.1.to_le_bytes());
    }
    for (at, d) in [(128, special(&inode)), (136, device(&inode))] {
        put(at, &d.0.to_le_bytes());
        put(at + 4, &d.1.to_le_bytes());
    }
    c.store_plain(buffer, &out)?;
    Ok(0)
}

/// `access(path, mode)`; with `at`, `faccessat(directory, path, mode)`; with flags as well, `faccessat2`.
pub(crate) fn access(c: &mut Call<'_>, at: bool, with_flags: bool) -> Sys {
    const AT_EACCESS: i32 = 0x200;
    let i = usize::from(at);
    let mode = c.int(i + 1, "a mode")?;
    let flags = if with_flags { c.int(3, "flags")? } else { 0 };
    if mode & !7 != 0 || flags & !(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let ino = match at {
        true => at_target(c, flags)?,
        false => c.find_existing(None, 0, true)?,
    };
    let inode = c.world().inode(ino);
    if mode & 2 != 0 && inode.read_only {
        return fail(EROFS);
    }
    if inode.allows(mode as u32) { Ok(0) } else { fail(EACCES) }
}

/// `statfs(path, buffer)` and `fstatfs(fd, buffer)`
pub(crate) fn statfs(c: &mut Call<'_>, by_path: bool) -> Sys {
    let buffer = c.address(1)?;
    if by_path {
        c.find(None, 0, true, Wanted::Existing)?.ino.ok_or(Stop::Errno(ENOENT))?;
    } else {
        let fd = c.fd(0)?;
        c.world().descriptors.get(fd).map_err(|_| Stop::Errno(EBADF))?;
    }
    const TMPFS_MAGIC: u64 = 0x0102_1994;
    let mut out = [0u8; 120];
    let mut word = |i: usize, v: u64| out[8 * i..8 * i + 8].copy_from_slice(&v.to_le_bytes());
    // type, block size, blocks, free, available, files, free files, id, longest name, fragment size
    for (i, v) in
        [TMPFS_MAGIC, BLOCK, 1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, ROOT, 255, BLOCK].iter().enumerate()
    {
        word(i, *v);
    }
    c.store_plain(buffer, &out)?;
    Ok(0)
}
