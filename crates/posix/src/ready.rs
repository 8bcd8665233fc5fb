//! What the process calls ask of descriptors: whether they are ready (`poll`, `select`), and what a file holds
//! (`mmap`).

use crate::descriptors::{Description, O_PATH};
use crate::errno::{EACCES, EBADF, ENODEV};
use crate::inode::{Device, Node};
use crate::pipes::CAPACITY;
use crate::process::Readiness;
use crate::world::World;
use forkwise_vm::{Byte, State};

/// Room that a pipe must have to count as writable.
const ROOM: usize = 4096;

/// What a descriptor is ready for; `None`: it is not open.
pub(crate) fn readiness(st: &State, fd: i32) -> Option<Readiness> {
    let world = World::of(st);
    let d = world.descriptors.get(fd).ok().filter(|d| d.flags & O_PATH == 0)?;
    let ends =
        |test: fn(&Description) -> bool| world.descriptors.all().filter(|other| other.ino == d.ino).any(test);
    let inode = world.inode(d.ino);
    Some(match &inode.node {
        Node::Pipe(pipe) => Readiness {
            readable: d.readable() && pipe.len() > 0,
            writable: d.writable() && CAPACITY - pipe.len() >= ROOM,
            hung_up: d.readable() && !ends(Description::writable),
            broken: d.writable() && !ends(Description::readable),
        },
        Node::Output(_) => Readiness { writable: d.writable(), ..Readiness::default() },
        _ => Readiness { readable: true, writable: true, ..Readiness::default() },
    })
}

/// The highest descriptor that is open; -1: none.
pub(crate) fn highest(st: &State) -> i32 {
    World::of(st).descriptors.numbers().max().unwrap_or(-1)
}

/// What a descriptor's file holds, for a map: bytes from `offset` on, at most `size`. The error is why not. A map through
/// which a file is changed is refused, as by file systems that do not have it.
pub(crate) fn map_file(
    st: &State,
    fd: i32,
    offset: u64,
    size: u64,
    shared_write: bool,
) -> Result<Vec<Byte>, i64> {
    let world = World::of(st);
    let d = world.descriptors.get(fd)?;
    if d.flags & O_PATH != 0 {
        return Err(EBADF);
    }
    if !d.readable() || (shared_write && !d.writable()) {
        return Err(EACCES);
    }
    match &world.inode(d.ino).node {
        Node::File(_) if shared_write => Err(ENODEV),
        Node::File(content) => Ok(content.read(offset, size)),
        Node::Device(Device::Zero) => Ok(Vec::new()),
        _ => Err(ENODEV),
    }
}
