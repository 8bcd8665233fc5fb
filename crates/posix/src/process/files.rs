//! What the process's calls need of files: contents to map, and which descriptors are ready. Everything else about
//! files is elsewhere; nothing here opens or closes.

use super::numbers::{EACCES, EBADF, ENODEV};
use crate::descriptors::O_PATH;
use crate::inode::{Device, Ino, Node};
use crate::pipes::CAPACITY;
use crate::world::{World, now};
use forkwise_vm::{Byte, State};

/// Room that a pipe must have to count as writable.
const ROOM: usize = 4096;

/// What a descriptor is ready for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Readiness {
    /// Reading returns at once.
    pub(super) readable: bool,
    /// Writing returns at once.
    pub(super) writable: bool,
    /// Nobody writes to it any more.
    pub(super) hung_up: bool,
    /// Nobody reads from it any more.
    pub(super) broken: bool,
}

/// What a descriptor is ready for; `None` when it is not open.
pub(super) fn readiness(st: &State, fd: i32) -> Option<Readiness> {
    let world = World::of(st);
    let d = *world.descriptors.get(fd).ok().filter(|d| d.flags & O_PATH == 0)?;
    let always = Readiness { readable: true, writable: true, ..Readiness::default() };
    Some(match &world.inode(d.ino).node {
        Node::Pipe(pipe) => {
            let mut readers = world.descriptors.all().filter(|o| o.ino == d.ino && o.readable());
            let mut writers = world.descriptors.all().filter(|o| o.ino == d.ino && o.writable());
            Readiness {
                readable: d.readable() && pipe.len() > 0,
                writable: d.writable() && CAPACITY - pipe.len() >= ROOM,
                hung_up: d.readable() && writers.next().is_none(),
                broken: d.writable() && readers.next().is_none(),
            }
        }
        // The other end is the one who runs the program, who reads everything.
        Node::Output(_) => Readiness { writable: d.writable(), ..Readiness::default() },
        _ => always,
    })
}

/// The highest descriptor that is open; -1: none.
pub(super) fn highest(st: &State) -> i32 {
    World::of(st).descriptors.numbers().last().unwrap_or(-1)
}

/// What a map shows of a file.
pub(super) struct Mapped {
    /// The bytes, fewer than asked for where the file ends.
    pub(super) bytes: Vec<Byte>,
    /// The file.
    pub(super) ino: Ino,
}

/// Bytes of a descriptor's file for a map; the error is why not.
pub(super) fn map(st: &State, fd: i32, offset: u64, size: u64, writes_file: bool) -> Result<Mapped, i64> {
    let world = World::of(st);
    let d = world.descriptors.get(fd)?;
    if d.flags & O_PATH != 0 {
        return Err(EBADF);
    }
    let bytes = match &world.inode(d.ino).node {
        Node::File(_) | Node::Device(_) if !d.readable() || (writes_file && !d.writable()) => {
            return Err(EACCES);
        }
        Node::File(content) => content.read(offset, size),
        Node::Device(Device::Zero) => Vec::new(),
        _ => return Err(ENODEV),
    };
    Ok(Mapped { bytes, ino: d.ino })
}

/// Brings what a shared map holds to its file, whose length stays.
pub(super) fn write_back(st: &mut State, ino: Ino, offset: u64, bytes: &[Byte]) {
    let n = match &World::of(st).inode(ino).node {
        Node::File(content) => {
            let n = content.len().saturating_sub(offset).min(bytes.len() as u64);
            if content.read(offset, n) == bytes[..n as usize] {
                return;
            }
            n as usize
        }
        _ => return,
    };
    let time = now(st);
    let inode = World::of_mut(st).tree.inode_mut(ino);
    if let Node::File(content) = &mut inode.node {
        content.write(offset, &bytes[..n]);
        inode.times[1] = time;
        inode.times[2] = time;
    }
}
