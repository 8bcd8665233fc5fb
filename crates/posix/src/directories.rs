//! Names: making, removing, renaming and linking them, listing directories, and the working directory.

use crate::call::{Call, OrStop, Stop, Sys, fail};
use crate::content::Content;
use crate::descriptors::O_PATH;
use crate::errno::{
    EACCES, EBADF, EBUSY, EEXIST, EINVAL, EISDIR, ENAMETOOLONG, ENOENT, ENOTDIR, ENOTEMPTY, EPERM, ERANGE,
    EROFS,
};
use crate::failures::Failing;
use crate::inode::{Directory, Ino, Inode, Node, S_IFIFO, S_IFMT, S_IFREG, USER};
use crate::names::{Follow, Found, Last, PATH_MAX};
use crate::open::{make, release};
use crate::paths::Wanted;
use crate::pipes::Pipe;
use crate::tree::ROOT;
use crate::world::now;

const AT_REMOVEDIR: i32 = 0x200;
const AT_SYMLINK_FOLLOW: i32 = 0x400;

/// `mkdir(path, mode)`; with `at`, `mkdirat(directory, path, mode)`.
pub(crate) fn mkdir(c: &mut Call<'_>, at: bool) -> Sys {
    let i = usize::from(at);
    let mode = c.word(i + 1, "a mode")? as u32;
    let found = new_name(c, at.then_some(0), i, true)?;
    make(c, &found, Node::Directory(Directory::new(found.parent)), mode & 0o1777)?;
    Ok(0)
}

/// A name that is free and may be made.
fn new_name(c: &mut Call<'_>, at: Option<usize>, i: usize, directory: bool) -> Result<Found, Stop> {
    let found = c.find(at, i, Follow::Entry, Wanted::Creatable)?;
    if found.last != Last::Name || found.ino.is_some() {
        return fail(EEXIST);
    }
    if found.slash && !directory {
        return fail(ENOENT);
    }
    Ok(found)
}

/// `mknod(path, mode, device)`; with `at`, `mknodat(directory, path, mode, device)`.
pub(crate) fn mknod(c: &mut Call<'_>, at: bool) -> Sys {
    let i = usize::from(at);
    let mode = c.word(i + 1, "a mode")? as u32;
    let node = match mode & S_IFMT {
        0 | S_IFREG => Node::File(Content::default()),
        S_IFIFO => Node::Pipe(Pipe::default()),
        0o020000 | 0o060000 | 0o040000 => {
            new_name(c, at.then_some(0), i, false)?;
            return fail(EPERM);
        }
        _ => return fail(EINVAL),
    };
    let found = new_name(c, at.then_some(0), i, false)?;
    make(c, &found, node, mode)?;
    Ok(0)
}

/// `symlink(target, path)`; with `at`, `symlinkat(target, directory, path)`.
pub(crate) fn symlink(c: &mut Call<'_>, at: bool) -> Sys {
    let address = c.address(0)?;
    let bytes = c.string(address)?;
    let found = new_name(c, at.then_some(1), 1 + usize::from(at), false)?;
    let target = c.one_value(&bytes)?;
    if target.is_empty() {
        return fail(ENOENT);
    }
    if target.len() >= PATH_MAX {
        return fail(ENAMETOOLONG);
    }
    make(c, &found, Node::Symlink(target), 0o777)?;
    Ok(0)
}

/// `link(old, new)`; with `at`, `linkat(directory, old, directory, new, flags)`.
pub(crate) fn link(c: &mut Call<'_>, at: bool) -> Sys {
    const AT_EMPTY_PATH: i32 = 0x1000;
    let flags = if at { c.int(4, "flags")? } else { 0 };
    if flags & !(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let (old, new) = if at { ((Some(0), 1), (Some(2), 3)) } else { ((None, 0), (None, 1)) };
    let ino = c.find_existing(old.0, old.1, flags & AT_SYMLINK_FOLLOW != 0)?;
    let found = new_name(c, new.0, new.1, false)?;
    let inode = c.world().inode(ino);
    if inode.read_only {
        return fail(EROFS);
    }
    if inode.is_directory() {
        return fail(EPERM);
    }
    check_directory(c, found.parent)?;
    if c.world().inode(found.parent).links == 0 {
        return fail(ENOENT);
    }
    let now = now(c.st);
    let tree = &mut c.world_mut().tree;
    let inode = tree.inode_mut(ino);
    inode.links += 1;
    inode.times[2] = now;
    enter(c, found.parent, &found.name, ino);
    Ok(0)
}

/// May entries of a directory be changed?
fn check_directory(c: &Call<'_>, ino: Ino) -> Result<(), Stop> {
    let inode = c.world().inode(ino);
    match inode.node {
        _ if inode.read_only => fail(EROFS),
        Node::Directory(_) if inode.allows(3) => Ok(()),
        _ => fail(EACCES),
    }
}

/// May this entry of a directory be removed? In a sticky directory only what the user owns.
fn check_removable(c: &Call<'_>, directory: Ino, ino: Ino) -> Result<(), Stop> {
    check_directory(c, directory)?;
    let (folder, inode) = (c.world().inode(directory), c.world().inode(ino));
    let sticky = folder.mode & 0o1000 != 0;
    if sticky && folder.uid != USER && inode.uid != USER { fail(EPERM) } else { Ok(()) }
}

fn enter(c: &mut Call<'_>, directory: Ino, name: &[u8], ino: Ino) {
    let now = now(c.st);
    let inode = c.world_mut().tree.inode_mut(directory);
    (inode.times[1], inode.times[2]) = (now, now);
    if let Node::Directory(d) = &mut inode.node {
        d.insert(name, ino);
    }
}

fn leave(c: &mut Call<'_>, directory: Ino, name: &[u8]) {
    let now = now(c.st);
    let inode = c.world_mut().tree.inode_mut(directory);
    (inode.times[1], inode.times[2]) = (now, now);
    if let Node::Directory(d) = &mut inode.node {
        d.remove(name);
    }
}

/// An inode lost a name.
fn lose(c: &mut Call<'_>, ino: Ino) {
    let now = now(c.st);
    let inode = c.world_mut().tree.inode_mut(ino);
    inode.links = if inode.is_directory() { 0 } else { inode.links.saturating_sub(1) };
    inode.times[2] = now;
    release(c, ino);
}

/// `unlink(path)`
pub(crate) fn unlink(c: &mut Call<'_>) -> Sys {
    remove_file(c, None, 0)
}

/// `rmdir(path)`
pub(crate) fn rmdir(c: &mut Call<'_>) -> Sys {
    remove_directory(c, None, 0)
}

/// `unlinkat(directory, path, flags)`
pub(crate) fn unlinkat(c: &mut Call<'_>) -> Sys {
    match c.int(2, "flags")? {
        0 => remove_file(c, Some(0), 1),
        AT_REMOVEDIR => remove_directory(c, Some(0), 1),
        _ => fail(EINVAL),
    }
}

fn remove_file(c: &mut Call<'_>, at: Option<usize>, i: usize) -> Sys {
    let found = c.find(at, i, Follow::Entry, Wanted::Existing)?;
    if found.last != Last::Name {
        return fail(EISDIR);
    }
    let ino = found.ino.ok_or(Stop::Errno(ENOENT))?;
    let is_directory = c.world().inode(ino).is_directory();
    if found.slash {
        return fail(if is_directory { EISDIR } else { ENOTDIR });
    }
    check_removable(c, found.parent, ino)?;
    if is_directory {
        return fail(EISDIR);
    }
    leave(c, found.parent, &found.name);
    lose(c, ino);
    Ok(0)
}

fn remove_directory(c: &mut Call<'_>, at: Option<usize>, i: usize) -> Sys {
    let found = c.find(at, i, Follow::Entry, Wanted::Existing)?;
    match found.last {
        Last::Name => {}
        Last::Dot => return fail(EINVAL),
        Last::DotDot => return fail(ENOTEMPTY),
        Last::Root => return fail(EBUSY),
    }
    let ino = found.ino.ok_or(Stop::Errno(ENOENT))?;
    check_removable(c, found.parent, ino)?;
    match &c.world().inode(ino).node {
        Node::Directory(d) if d.is_empty() => {}
        Node::Directory(_) => return fail(ENOTEMPTY),
        Node::Descriptors => return fail(EPERM),
        _ => return fail(ENOTDIR),
    }
    leave(c, found.parent, &found.name);
    c.world_mut().tree.inode_mut(found.parent).links -= 1;
    lose(c, ino);
    Ok(0)
}

/// `rename(old, new)`; with `at`, `renameat(directory, old, directory, new)`; with flags as well, `renameat2`.
pub(crate) fn rename(c: &mut Call<'_>, at: bool, with_flags: bool) -> Sys {
    const NOREPLACE: u32 = 1;
    const EXCHANGE: u32 = 2;
    let flags = if with_flags { c.word(4, "flags")? as u32 } else { 0 };
    if flags & !(NOREPLACE | EXCHANGE) != 0 || flags == NOREPLACE | EXCHANGE {
        return fail(EINVAL);
    }
    let (from, to) = if at { ((Some(0), 1), (Some(2), 3)) } else { ((None, 0), (None, 1)) };
    let old = c.find(from.0, from.1, Follow::Entry, Wanted::Existing)?;
    let new = c.find(to.0, to.1, Follow::Entry, Wanted::Creatable)?;
    if old.last != Last::Name {
        return fail(EBUSY);
    }
    if new.last != Last::Name {
        return fail(if flags == NOREPLACE { EEXIST } else { EBUSY });
    }
    let ino = old.ino.ok_or(Stop::Errno(ENOENT))?;
    match new.ino {
        Some(_) if flags == NOREPLACE => return fail(EEXIST),
        None if flags == EXCHANGE => return fail(ENOENT),
        _ => {}
    }
    let is_directory = c.world().inode(ino).is_directory();
    if !is_directory && (old.slash || (new.slash && flags != EXCHANGE)) {
        return fail(ENOTDIR);
    }
    if is_within(c, new.parent, ino) {
        return fail(EINVAL);
    }
    if new.ino.is_some_and(|target| is_within(c, old.parent, target)) {
        return fail(if flags == EXCHANGE { EINVAL } else { ENOTEMPTY });
    }
    if new.ino == Some(ino) {
        return Ok(0);
    }
    check_removable(c, old.parent, ino)?;
    match new.ino {
        Some(target) => check_removable(c, new.parent, target)?,
        None => check_directory(c, new.parent)?,
    }
    if is_directory && old.parent != new.parent && !c.world().inode(ino).allows(2) {
        return fail(EACCES);
    }
    if flags == EXCHANGE {
        return exchange(c, &old, &new);
    }
    if let Some(target) = new.ino {
        match (is_directory, &c.world().inode(target).node) {
            (true, Node::Directory(d)) if d.is_empty() => {}
            (true, Node::Directory(_)) => return fail(ENOTEMPTY),
            (true, _) => return fail(ENOTDIR),
            (false, Node::Directory(_)) => return fail(EISDIR),
            (false, _) => {}
        }
    }
    leave(c, old.parent, &old.name);
    enter(c, new.parent, &new.name, ino);
    moved(c, ino, old.parent, new.parent);
    if let Some(target) = new.ino {
        if is_directory {
            c.world_mut().tree.inode_mut(new.parent).links -= 1;
        }
        lose(c, target);
    }
    Ok(0)
}

fn exchange(c: &mut Call<'_>, old: &Found, new: &Found) -> Sys {
    let (Some(a), Some(b)) = (old.ino, new.ino) else { return fail(ENOENT) };
    enter(c, old.parent, &old.name, b);
    enter(c, new.parent, &new.name, a);
    moved(c, a, old.parent, new.parent);
    moved(c, b, new.parent, old.parent);
    Ok(0)
}

/// An inode has another directory: if it is one itself, its ".." changes.
fn moved(c: &mut Call<'_>, ino: Ino, from: Ino, to: Ino) {
    let now = now(c.st);
    let tree = &mut c.world_mut().tree;
    let inode = tree.inode_mut(ino);
    inode.times[2] = now;
    if let Node::Directory(d) = &mut inode.node
        && from != to
    {
        d.parent = to;
        tree.inode_mut(from).links -= 1;
        tree.inode_mut(to).links += 1;
    }
}

/// Is the directory `inner` the directory `outer` or below it?
fn is_within(c: &Call<'_>, inner: Ino, outer: Ino) -> bool {
    let mut at = inner;
    loop {
        if at == outer {
            return true;
        }
        match &c.world().inode(at).node {
            Node::Directory(d) if d.parent != at => at = d.parent,
            _ => return false,
        }
    }
}

/// `readlink(path, buffer, n)`; with `at`, `readlinkat(directory, path, buffer, n)`.
pub(crate) fn readlink(c: &mut Call<'_>, at: bool) -> Sys {
    let i = usize::from(at);
    let (buffer, n) = (c.address(i + 1)?, c.int(i + 2, "a length")?);
    if n <= 0 {
        return fail(EINVAL);
    }
    let ino = match at {
        true => crate::stat::at_target(c, crate::stat::AT_EMPTY_PATH | crate::stat::AT_SYMLINK_NOFOLLOW)?,
        false => c.find_existing(None, 0, false)?,
    };
    let inode = c.world().inode(ino);
    let Node::Symlink(target) = &inode.node else { return fail(EINVAL) };
    let n = target.len().min(n as usize);
    c.store_plain(buffer, &target[..n])?;
    Ok(n as u64)
}

/// Positions in a directory count down from here.
const LAST_POSITION: u64 = 1 << 32;

/// `getdents64(fd, buffer, n)`, and `getdents` with its older form of an entry.
pub(crate) fn getdents(c: &mut Call<'_>, old: bool) -> Sys {
    let (fd, buffer, n) = (c.fd(0)?, c.address(1)?, c.size(2)? as u32 as u64);
    let d = *c.world().descriptors.get(fd).or_stop()?;
    if d.flags & O_PATH != 0 {
        return fail(EBADF);
    }
    let inode = c.world().inode(d.ino);
    let parent = match &inode.node {
        Node::Directory(d) => d.parent,
        Node::Descriptors => ROOT,
        _ => return fail(ENOTDIR),
    };
    if inode.links == 0 {
        return fail(ENOENT);
    }
    let mut entries: Vec<(u64, Vec<u8>, Ino)> = vec![(0, b".".to_vec(), d.ino), (1, b"..".to_vec(), parent)];
    match &inode.node {
        Node::Directory(dir) => {
            // The newest first, as tmpfs has it.
            let all = dir.in_order().into_iter().rev();
            entries.extend(all.map(|(p, n, i)| (LAST_POSITION - p, n.to_vec(), i)))
        }
        _ => {
            let world = c.world();
            entries.extend(world.descriptors.numbers().filter_map(|n| {
                let ino = world.descriptors.get(n).ok()?.ino;
                Some((n as u64 + 2, n.to_string().into_bytes(), ino))
            }));
        }
    }
    let mut out = Vec::new();
    let mut next = d.offset;
    for (position, name, ino) in entries.into_iter().filter(|e| e.0 >= d.offset) {
        let kind = (c.world().inode(ino).kind() >> 12) as u8;
        // The kind is before the name, or in the older form after its end.
        let size = (if old { 18 + name.len() + 2 } else { 19 + name.len() + 1 }).next_multiple_of(8);
        if out.len() + size > n as usize {
            if out.is_empty() {
                return fail(EINVAL);
            }
            break;
        }
        let at = out.len();
        out.extend(ino.to_le_bytes());
        out.extend((position + 1).to_le_bytes());
        out.extend((size as u16).to_le_bytes());
        if !old {
            out.push(kind);
        }
        out.extend(name);
        out.resize(at + size, 0);
        if old {
            out[at + size - 1] = kind;
        }
        next = position + 1;
    }
    c.store_plain(buffer, &out)?;
    if next != d.offset {
        c.world_mut().descriptors.get_mut(fd).or_stop()?.offset = next;
    }
    Ok(out.len() as u64)
}

/// `chdir(path)`
pub(crate) fn chdir(c: &mut Call<'_>) -> Sys {
    let ino = c.find_existing(None, 0, true)?;
    enter_directory(c, ino)
}

/// `fchdir(fd)`
pub(crate) fn fchdir(c: &mut Call<'_>) -> Sys {
    let fd = c.fd(0)?;
    let ino = c.world().descriptors.get(fd).or_stop()?.ino;
    enter_directory(c, ino)
}

fn enter_directory(c: &mut Call<'_>, ino: Ino) -> Sys {
    let inode = c.world().inode(ino);
    if !inode.is_directory() {
        return fail(ENOTDIR);
    }
    if !inode.allows(1) {
        return fail(EACCES);
    }
    let before = std::mem::replace(&mut c.world_mut().cwd, ino);
    release(c, before);
    Ok(0)
}

/// `getcwd(buffer, n)`
pub(crate) fn getcwd(c: &mut Call<'_>) -> Sys {
    let (buffer, n) = (c.address(0)?, c.size(1)?);
    c.may_fail(Failing::Getcwd)?;
    let mut path: Vec<u8> = Vec::new();
    let mut at = c.world().cwd;
    while at != ROOT {
        if c.world().inode(at).links == 0 {
            return fail(ENOENT);
        }
        let Some((name, parent)) = name_of(c, at) else { return fail(ENOENT) };
        path.splice(0..0, [b"/", &name[..]].concat());
        at = parent;
    }
    if path.is_empty() {
        path.push(b'/');
    }
    path.push(0);
    if (path.len() as u64) > n {
        return fail(ERANGE);
    }
    c.store_plain(buffer, &path)?;
    c.served(Failing::Getcwd);
    Ok(path.len() as u64)
}

/// The name of a directory and the one it is in.
fn name_of(c: &Call<'_>, ino: Ino) -> Option<(Vec<u8>, Ino)> {
    let inode: std::rc::Rc<Inode> = c.world().inode(ino);
    let Node::Directory(d) = &inode.node else { return None };
    let above = c.world().inode(d.parent);
    let Node::Directory(folder) = &above.node else { return None };
    let name = folder.names().find(|n| folder.get(n) == Some(ino))?.to_vec();
    Some((name, d.parent))
}

/// `umask(mask)`
pub(crate) fn umask(c: &mut Call<'_>) -> Sys {
    let mask = c.word(0, "a mask")? as u32 & 0o777;
    if mask == c.world().umask {
        return Ok(mask as u64);
    }
    Ok(std::mem::replace(&mut c.world_mut().umask, mask) as u64)
}
