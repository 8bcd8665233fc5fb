//! Reading, writing and seeking. What is written to the program's output is captured in the state, whichever
//! descriptor leads there; symbolic bytes stay symbolic everywhere.

use crate::call::{Call, OrStop, Stop, Sys, fail};
use crate::descriptors::{Description, O_APPEND, O_NONBLOCK, O_PATH};
use crate::errno::{EAGAIN, EBADF, EFBIG, EINVAL, EIO, EISDIR, ENOSPC, ENXIO, EPIPE, ESPIPE};
use crate::failures::Failing;
use crate::inode::{Device, Node};
use crate::open::{ends, forever};
use crate::pipes::CAPACITY;
use crate::process;
use crate::world::now;
use forkwise_vm::Byte;

/// No call transfers more.
const MOST: u64 = 0x7fff_f000;
/// Greatest offset.
const LAST: u64 = i64::MAX as u64;

fn description(c: &Call<'_>, fd: i32) -> Result<Description, Stop> {
    let d = *c.world().descriptors.get(fd).or_stop()?;
    if d.flags & O_PATH != 0 { fail(EBADF) } else { Ok(d) }
}

fn readable(c: &Call<'_>, fd: i32) -> Result<Description, Stop> {
    let d = description(c, fd)?;
    if d.readable() { Ok(d) } else { fail(EBADF) }
}

fn writable(c: &Call<'_>, fd: i32) -> Result<Description, Stop> {
    let d = description(c, fd)?;
    if d.writable() { Ok(d) } else { fail(EBADF) }
}

/// What a call of the families `read` and `write` transfers: descriptor, buffers as address and length, and the offset
/// where it is not the descriptor's own.
struct Transfer {
    fd: i32,
    buffers: Vec<(u64, u64)>,
    at: Option<u64>,
}

/// The arguments `(fd, buffer, n)`, or with `at` `(fd, buffer, n, offset)`.
fn single(c: &mut Call<'_>, at: bool) -> Result<Transfer, Stop> {
    let (fd, buffer, n) = (c.fd(0)?, c.address(1)?, c.size(2)?);
    let at = if at { Some(position(c, fd, 3)?) } else { None };
    Ok(Transfer { fd, buffers: vec![(buffer, n)], at })
}

/// How a call with a list of buffers gives its offset.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offset {
    /// `readv`, `writev`: not at all.
    None,
    /// `preadv`, `pwritev`: always.
    Given,
    /// `preadv2`, `pwritev2`: -1 means the current one.
    Optional,
}

/// The arguments `(fd, list, count)` or `(fd, list, count, offset)`.
fn scattered(c: &mut Call<'_>, offset: Offset) -> Result<Transfer, Stop> {
    let fd = c.fd(0)?;
    let own = match offset {
        Offset::None => true,
        Offset::Given => false,
        Offset::Optional => c.word(3, "an offset")? == u64::MAX,
    };
    let at = if own { None } else { Some(position(c, fd, 3)?) };
    if own {
        description(c, fd)?;
    }
    Ok(Transfer { fd, buffers: c.buffers(1)?, at })
}

/// `read(fd, buffer, n)`; with `at`, `pread64(fd, buffer, n, offset)`.
pub(crate) fn read(c: &mut Call<'_>, at: bool) -> Sys {
    let transfer = single(c, at)?;
    read_into(c, &transfer)
}

/// `readv(fd, list, count)`, `preadv(fd, list, count, offset)` and `preadv2`.
pub(crate) fn readv(c: &mut Call<'_>, offset: Offset) -> Sys {
    let transfer = scattered(c, offset)?;
    read_into(c, &transfer)
}

/// `write(fd, buffer, n)`; with `at`, `pwrite64(fd, buffer, n, offset)`.
pub(crate) fn write(c: &mut Call<'_>, at: bool) -> Sys {
    let transfer = single(c, at)?;
    write_from(c, &transfer)
}

/// `writev(fd, list, count)`, `pwritev(fd, list, count, offset)` and `pwritev2`.
pub(crate) fn writev(c: &mut Call<'_>, offset: Offset) -> Sys {
    let transfer = scattered(c, offset)?;
    write_from(c, &transfer)
}

/// An explicit offset.
fn position(c: &mut Call<'_>, fd: i32, i: usize) -> Result<u64, Stop> {
    let offset = c.word(i, "an offset")?;
    if (offset as i64) < 0 {
        return fail(EINVAL);
    }
    let d = description(c, fd)?;
    match c.world().inode(d.ino).node {
        Node::Pipe(_) | Node::Output(_) => fail(ESPIPE),
        _ => Ok(offset),
    }
}

/// How many bytes a call may transfer.
fn total(buffers: &[(u64, u64)]) -> Result<u64, Stop> {
    if buffers.iter().any(|b| b.1 > LAST) {
        return fail(EINVAL);
    }
    Ok(buffers.iter().fold(0u64, |t, b| t.saturating_add(b.1)).min(MOST))
}

fn read_into(c: &mut Call<'_>, transfer: &Transfer) -> Sys {
    let Transfer { fd, ref buffers, at } = *transfer;
    let d = readable(c, fd)?;
    let total = total(buffers)?;
    c.may_fail(Failing::Read)?;
    let bytes = fetch(c, &d, at.unwrap_or(d.offset), total)?;
    // Whether the memory is there is found out before anything changes.
    let mut left = bytes.len() as u64;
    for (address, n) in buffers {
        let n = left.min(*n);
        c.check(*address, n, true)?;
        left -= n;
    }
    let mut rest = &bytes[..];
    for (address, n) in buffers {
        let (now, later) = rest.split_at((*n).min(rest.len() as u64) as usize);
        c.store(*address, now)?;
        rest = later;
    }
    c.served(Failing::Read);
    taken(c, fd, &d, bytes.len() as u64, at.is_none())?;
    Ok(bytes.len() as u64)
}

/// The next bytes of what is open, which stay where they are.
pub(crate) fn fetch(c: &mut Call<'_>, d: &Description, offset: u64, n: u64) -> Result<Vec<Byte>, Stop> {
    let inode = c.world().inode(d.ino);
    match &inode.node {
        Node::File(content) => Ok(content.read(offset, n)),
        Node::Directory(_) | Node::Descriptors => fail(EISDIR),
        Node::Device(Device::Null) => Ok(Vec::new()),
        Node::Device(Device::Zero | Device::Full) => Ok(vec![Byte::Concrete(0); n as usize]),
        Node::Device(Device::Random | Device::Urandom) => Ok(process::random(c.vm, c.st, n)),
        Node::Device(Device::Tty) => fail(EIO),
        Node::Pipe(pipe) => {
            if n == 0 || pipe.len() > 0 {
                return Ok(pipe.peek(n as usize));
            }
            match ends(c, d.ino).1 {
                false => Ok(Vec::new()),
                true if d.flags & O_NONBLOCK != 0 => fail(EAGAIN),
                true => Err(forever("reading an empty pipe").into()),
            }
        }
        Node::Output(_) if n == 0 => Ok(Vec::new()),
        Node::Output(_) if d.flags & O_NONBLOCK != 0 => fail(EAGAIN),
        Node::Output(_) => Err(forever("reading the program's own output").into()),
        Node::Symlink(_) => fail(EINVAL),
    }
}

/// `n` bytes of a description were read: the offset moves, a pipe loses them.
pub(crate) fn taken(c: &mut Call<'_>, fd: i32, d: &Description, n: u64, moves: bool) -> Result<(), Stop> {
    let inode = c.world().inode(d.ino);
    match &inode.node {
        Node::Device(Device::Random | Device::Urandom) => process::took_random(c.st, n),
        Node::File(_) | Node::Device(_) if moves && n > 0 => {
            c.world_mut().descriptors.get_mut(fd).or_stop()?.offset += n;
        }
        Node::Pipe(_) if n > 0 => {
            if let Node::Pipe(pipe) = &mut c.world_mut().tree.inode_mut(d.ino).node {
                pipe.take(n as usize);
            }
        }
        _ => {}
    }
    Ok(())
}

fn write_from(c: &mut Call<'_>, transfer: &Transfer) -> Sys {
    let Transfer { fd, ref buffers, at } = *transfer;
    let d = writable(c, fd)?;
    let total = total(buffers)?;
    c.may_fail(Failing::Write)?;
    // A device that takes everything does not look at it.
    if let Node::Device(Device::Null) = c.world().inode(d.ino).node {
        c.served(Failing::Write);
        return Ok(total);
    }
    let mut bytes = Vec::new();
    for (address, n) in buffers {
        let n = (*n).min(total - bytes.len() as u64);
        bytes.extend(c.load(*address, n)?);
    }
    c.served(Failing::Write);
    put(c, fd, &d, &bytes, at)
}

/// Writes bytes to what is open, at an offset of their own or the description's.
pub(crate) fn put(c: &mut Call<'_>, fd: i32, d: &Description, bytes: &[Byte], at: Option<u64>) -> Sys {
    let n = bytes.len() as u64;
    let inode = c.world().inode(d.ino);
    match &inode.node {
        Node::Output(number) => {
            output(c, *number, bytes);
            Ok(n)
        }
        Node::Device(Device::Full) => fail(ENOSPC),
        Node::Device(Device::Tty) => fail(EIO),
        Node::Device(_) => {
            if at.is_none() {
                c.world_mut().descriptors.get_mut(fd).or_stop()?.offset += n;
            }
            Ok(n)
        }
        Node::Pipe(pipe) => {
            if !ends(c, d.ino).0 {
                return broken_pipe(c);
            }
            let room = CAPACITY - pipe.len();
            let whole = n as usize <= room;
            // Short writes are whole or not at all.
            if n > 0 && (room == 0 || (!whole && n <= 4096)) {
                return match d.flags & O_NONBLOCK != 0 {
                    true => fail(EAGAIN),
                    false => Err(forever("writing to a full pipe").into()),
                };
            }
            if !whole && d.flags & O_NONBLOCK == 0 {
                return Err(forever("writing to a full pipe").into());
            }
            match &mut c.world_mut().tree.inode_mut(d.ino).node {
                Node::Pipe(pipe) => Ok(pipe.put(bytes) as u64),
                _ => fail(EIO),
            }
        }
        Node::File(content) => {
            let own = at.is_none();
            let start = match (d.flags & O_APPEND != 0, at) {
                (true, _) => content.len(),
                (false, Some(at)) => at,
                (false, None) => d.offset,
            };
            if n == 0 {
                return Ok(0);
            }
            let limit = size_limit(c);
            if start >= limit {
                return too_large(c);
            }
            let n = n.min(limit - start);
            let now = now(c.st);
            let world = c.world_mut();
            let inode = world.tree.inode_mut(d.ino);
            if let Node::File(content) = &mut inode.node {
                content.write(start, &bytes[..n as usize]);
            }
            // Writing takes away the right to run as another user.
            inode.mode &= !0o6000;
            (inode.times[1], inode.times[2]) = (now, now);
            if own {
                world.descriptors.get_mut(fd).or_stop()?.offset = start + n;
            }
            Ok(n)
        }
        Node::Directory(_) | Node::Descriptors | Node::Symlink(_) => fail(EBADF),
    }
}

/// No file may grow beyond this (RLIMIT_FSIZE).
pub(crate) fn size_limit(c: &Call<'_>) -> u64 {
    const FILE_SIZE: u32 = 1;
    process::limit(c.st, FILE_SIZE).0.min(LAST)
}

/// Who tries all the same gets SIGXFSZ, and EFBIG if it survives that.
pub(crate) fn too_large(c: &mut Call<'_>) -> Sys {
    const SIGXFSZ: u32 = 25;
    process::raise(c.st, SIGXFSZ);
    fail(EFBIG)
}

fn output(c: &mut Call<'_>, number: u32, bytes: &[Byte]) {
    let mut symbolic = Vec::new();
    let plain = bytes
        .iter()
        .enumerate()
        .map(|(i, b)| match b {
            Byte::Concrete(c) => *c,
            Byte::Symbolic(e) => {
                symbolic.push((i as u32, *e));
                0
            }
        })
        .collect();
    c.st.write_output(number, plain, symbolic);
}

/// Nobody reads the pipe any more: SIGPIPE, and EPIPE for those who survive it.
fn broken_pipe(c: &mut Call<'_>) -> Sys {
    process::raise(c.st, process::SIGPIPE);
    fail(EPIPE)
}

/// `lseek(fd, offset, whence)`
pub(crate) fn lseek(c: &mut Call<'_>) -> Sys {
    const SEEK_DATA: i32 = 3;
    const SEEK_HOLE: i32 = 4;
    let fd = c.fd(0)?;
    let (offset, whence) = (c.word(1, "an offset")? as i64, c.int(2, "a kind of seek")?);
    let d = description(c, fd)?;
    let inode = c.world().inode(d.ino);
    let size = match &inode.node {
        Node::File(content) => content.len() as i64,
        Node::Pipe(_) | Node::Output(_) => return fail(ESPIPE),
        // Seeking in these succeeds and means nothing.
        Node::Device(Device::Null | Device::Zero | Device::Full) => {
            c.world_mut().descriptors.get_mut(fd).or_stop()?.offset = 0;
            return Ok(0);
        }
        _ => 0,
    };
    let to = match whence {
        0 => Some(offset),
        1 => (d.offset as i64).checked_add(offset),
        2 => size.checked_add(offset),
        SEEK_DATA | SEEK_HOLE if offset < 0 || offset >= size => return fail(ENXIO),
        SEEK_DATA => Some(offset),
        SEEK_HOLE => Some(size),
        _ => return fail(EINVAL),
    };
    match to {
        Some(to) if to >= 0 => {
            c.world_mut().descriptors.get_mut(fd).or_stop()?.offset = to as u64;
            Ok(to as u64)
        }
        Some(_) => fail(EINVAL),
        None => fail(crate::errno::EINVAL),
    }
}

/// `sendfile(to, from, offset, n)`; also the way `copy_file_range` works between two files.
pub(crate) fn sendfile(c: &mut Call<'_>) -> Sys {
    let (to, from, at, n) = (c.fd(0)?, c.fd(1)?, c.address(2)?, c.size(3)?);
    let source = readable(c, from)?;
    let target = writable(c, to)?;
    if target.flags & O_APPEND != 0 {
        return fail(EINVAL);
    }
    let start = match at {
        0 => source.offset,
        _ => c.load_word(at, "an offset")?,
    };
    if (start as i64) < 0 {
        return fail(EINVAL);
    }
    if !matches!(c.world().inode(source.ino).node, Node::File(_)) {
        return fail(if at != 0 { ESPIPE } else { EINVAL });
    }
    let bytes = fetch(c, &source, start, n.min(MOST))?;
    let written = put(c, to, &target, &bytes, None)?;
    match at {
        0 => taken(c, from, &source, written, true)?,
        _ => c.store_plain(at, &(start + written).to_le_bytes())?,
    }
    Ok(written)
}

/// `copy_file_range(from, offset, to, offset, n, flags)`
pub(crate) fn copy_file_range(c: &mut Call<'_>) -> Sys {
    let (from, from_at, to, to_at) = (c.fd(0)?, c.address(1)?, c.fd(2)?, c.address(3)?);
    let (n, flags) = (c.size(4)?, c.word(5, "flags")?);
    let source = readable(c, from)?;
    let target = writable(c, to)?;
    if flags != 0 || target.flags & O_APPEND != 0 {
        return fail(if flags != 0 { EINVAL } else { EBADF });
    }
    for ino in [source.ino, target.ino] {
        match c.world().inode(ino).node {
            Node::File(_) => {}
            Node::Directory(_) => return fail(EISDIR),
            _ => return fail(EINVAL),
        }
    }
    let begin = |c: &mut Call<'_>, at: u64, own: u64| match at {
        0 => Ok(own),
        _ => c.load_word(at, "an offset"),
    };
    let read_at = begin(c, from_at, source.offset)?;
    let write_at = begin(c, to_at, target.offset)?;
    if (read_at as i64) < 0 || (write_at as i64) < 0 {
        return fail(EINVAL);
    }
    if source.ino == target.ino
        && read_at < write_at.saturating_add(n)
        && write_at < read_at.saturating_add(n)
    {
        return fail(EINVAL);
    }
    let bytes = fetch(c, &source, read_at, n.min(MOST))?;
    let written = put(c, to, &target, &bytes, Some(write_at))?;
    match from_at {
        0 => taken(c, from, &source, written, true)?,
        _ => c.store_plain(from_at, &(read_at + written).to_le_bytes())?,
    }
    match to_at {
        0 => c.world_mut().descriptors.get_mut(to).or_stop()?.offset += written,
        _ => c.store_plain(to_at, &(write_at + written).to_le_bytes())?,
    }
    Ok(written)
}
