//! Memory maps. Each is an object of its own, so that what lies beside one is never another; parts can be protected or
//! unmapped page by page. Addresses are the machine's to choose: a fixed address works inside a map that is there.

use super::numbers::*;
use super::{ProcessState, Result, errno, fault, files, int, long, ok};
use crate::inode::Ino;
use crate::user;
use forkwise_vm::{Byte, Origin, Place, Rights, State, Value, Vm};
use std::rc::Rc;

const PAGE: u64 = 4096;
/// Where user addresses end natively.
const TASK_SIZE: u64 = 1 << 47;

const MAP_SHARED: u64 = 1;
const MAP_PRIVATE: u64 = 2;
const MAP_SHARED_VALIDATE: u64 = 3;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;

fn rights(prot: u64) -> Rights {
    const WRITE: u64 = 2;
    const READ_OR_EXECUTE: u64 = 1 | 4;
    match prot {
        // x86 has no pages that can be written and not read, or executed and not read.
        p if p & WRITE != 0 => Rights::ReadWrite,
        p if p & READ_OR_EXECUTE != 0 => Rights::Read,
        _ => Rights::None,
    }
}

/// What a range of addresses meets.
enum Range {
    /// A map (or another object that has whole pages): its first address and the offset.
    Map { base: u64, off: u64 },
    /// Something that cannot be changed page by page: a variable, code.
    Other,
    /// Nothing, or nothing at its end.
    Hole,
}

fn range(st: &State, address: u64, n: u64) -> Range {
    match st.mem.locate(address) {
        Place::Live { base } => {
            let Some(o) = st.mem.object(base) else { return Range::Hole };
            let off = address - base;
            let end = off.saturating_add(n);
            match o.origin {
                Origin::Map | Origin::Heap if end > o.size.next_multiple_of(PAGE) => Range::Hole,
                Origin::Map | Origin::Heap => {
                    let mapped = (off / PAGE..end.div_ceil(PAGE))
                        .all(|page| o.rights_at(page * PAGE) != Rights::Unmapped);
                    if mapped { Range::Map { base, off } } else { Range::Hole }
                }
                _ => Range::Other,
            }
        }
        Place::Code => Range::Other,
        Place::Freed | Place::Null | Place::Nothing => Range::Hole,
    }
}

pub(super) fn mmap(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let address = long(vm, st, args[0], "a mapping's address")?;
    let size = long(vm, st, args[1], "a mapping's size")?;
    let prot = long(vm, st, args[2], "a mapping's protection")?;
    let flags = long(vm, st, args[3], "a mapping's flags")?;
    let offset = long(vm, st, args[5], "an offset")?;
    if !offset.is_multiple_of(PAGE) {
        return Ok(errno(EINVAL));
    }
    let mut file = None;
    if flags & MAP_ANONYMOUS == 0 {
        let fd = int(vm, st, args[4], "a file descriptor")?;
        let shared = flags & 0xf != MAP_PRIVATE;
        match files::map(st, fd, offset, size.min(vm.config.max_allocation), shared && prot & 2 != 0) {
            Ok(mapped) => file = Some(File { shared, offset, mapped }),
            Err(error) => return Ok(errno(error)),
        }
    }
    let rounded = size.checked_next_multiple_of(PAGE);
    let Some(rounded) = rounded.filter(|n| *n < TASK_SIZE) else { return Ok(errno(ENOMEM)) };
    if size == 0 || !matches!(flags & 0xf, MAP_SHARED | MAP_PRIVATE | MAP_SHARED_VALIDATE) {
        return Ok(errno(EINVAL));
    }
    if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
        return fixed(vm, st, address, rounded, prot, flags, file.as_ref());
    }
    match allocate(vm, st, rounded) {
        Some(base) => {
            show_file(st, base, 0, file.as_ref());
            protect(st, base, 0, rounded, rights(prot));
            Ok(ok(base))
        }
        None => Ok(errno(ENOMEM)),
    }
}

/// A file to map.
struct File {
    shared: bool,
    offset: u64,
    mapped: files::Mapped,
}

/// A map whose changes belong to a file. They get there by `msync` and when it goes; until then reading the file
/// shows what was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedMap {
    base: u64,
    off: u64,
    len: u64,
    ino: Ino,
    offset: u64,
}

/// Puts a file's contents into a map.
fn show_file(st: &mut State, base: u64, off: u64, file: Option<&File>) {
    let Some(file) = file else { return };
    fill(st, base, off, &file.mapped.bytes);
    if file.shared {
        let map = SharedMap {
            base,
            off,
            len: file.mapped.bytes.len() as u64,
            ino: file.mapped.ino,
            offset: file.offset,
        };
        Rc::make_mut(&mut ProcessState::of(st).shared_maps).push(map);
    }
}

/// Writes what shared maps of an object hold to their files.
fn write_back(st: &mut State, base: u64) {
    let maps = ProcessState::of(st).shared_maps.clone();
    for map in maps.iter().filter(|m| m.base == base) {
        let Some(o) = st.mem.object(base) else { continue };
        let bytes: Vec<Byte> = (map.off..map.off + map.len).map(|i| o.byte(i)).collect();
        files::write_back(st, map.ino, map.offset, &bytes);
    }
}

/// A zero-filled map.
fn allocate(vm: &Vm, st: &mut State, size: u64) -> Option<u64> {
    if size > vm.config.max_allocation || st.mem.live_bytes.saturating_add(size) > vm.config.max_path_memory {
        return None;
    }
    st.mem.allocate(size, Origin::Map, vm.current_loc(st))
}

fn fill(st: &mut State, base: u64, off: u64, bytes: &[Byte]) {
    if let Some(o) = st.mem.object_mut(base) {
        for (i, b) in bytes.iter().enumerate().filter(|(_, b)| **b != Byte::Concrete(0)) {
            o.set_byte(off + i as u64, *b);
        }
    }
}

fn protect(st: &mut State, base: u64, off: u64, n: u64, rights: Rights) {
    let same = st.mem.object(base).is_none_or(|o| !o.is_guarded() && o.rights_at(0) == rights);
    if !same && let Some(o) = st.mem.object_mut(base) {
        o.set_rights(off, n, rights);
    }
}

/// A map at an address the program chose: over part of one that is there.
fn fixed(
    vm: &mut Vm,
    st: &mut State,
    address: u64,
    size: u64,
    prot: u64,
    flags: u64,
    file: Option<&File>,
) -> Result {
    if !address.is_multiple_of(PAGE) {
        return Ok(errno(EINVAL));
    }
    // Unmapped pages of a map can be mapped again, too.
    let within = st
        .mem
        .object(address)
        .filter(|o| o.origin == Origin::Map && o.contains(address - o.base, size))
        .map(|o| o.base);
    let Some(base) = within else {
        vm.note("maps at fixed addresses are refused (ENOMEM) except inside of a map that is there");
        return Ok(errno(ENOMEM));
    };
    let off = address - base;
    let taken = || {
        let o = st.mem.object(base);
        o.is_some_and(|o| {
            (off..off + size).step_by(PAGE as usize).any(|a| o.rights_at(a) != Rights::Unmapped)
        })
    };
    if flags & MAP_FIXED_NOREPLACE != 0 && taken() {
        return Ok(errno(EEXIST));
    }
    if let Some(o) = st.mem.object_mut(base) {
        o.set_rights(off, size, Rights::ReadWrite);
        o.fill(off, size, 0);
    }
    show_file(st, base, off, file);
    protect(st, base, off, size, rights(prot));
    Ok(ok(address))
}

pub(super) fn munmap(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let address = long(vm, st, args[0], "a mapping's address")?;
    let size = long(vm, st, args[1], "a mapping's size")?;
    let found = st.mem.object(address).filter(|o| o.origin == Origin::Map).map(|o| o.base);
    // The machine's own addresses are higher than the kernel's limit.
    let outside = st.mem.locate(address) == Place::Nothing && address > TASK_SIZE - size.min(TASK_SIZE);
    if !address.is_multiple_of(PAGE) || size == 0 || size > TASK_SIZE || outside {
        return Ok(errno(EINVAL));
    }
    if let Some(base) = found {
        unmap(st, base, address - base, size);
    }
    Ok(ok(0))
}

fn unmap(st: &mut State, base: u64, off: u64, n: u64) {
    let Some(size) = st.mem.object(base).map(|o| o.size) else { return };
    write_back(st, base);
    // What is unmapped reads as zero and is not written again.
    if ProcessState::of(st).shared_maps.iter().any(|m| m.base == base) {
        Rc::make_mut(&mut ProcessState::of(st).shared_maps).retain(|m| m.base != base);
    }
    let all = off == 0 && n >= size;
    if !all && let Some(o) = st.mem.object_mut(base) {
        o.set_rights(off, n, Rights::Unmapped);
    }
    if all || st.mem.object(base).is_some_and(|o| o.is_unmapped()) {
        st.mem.free(base);
    }
}

pub(super) fn mprotect(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const KNOWN: u64 = 0xf;
    let address = long(vm, st, args[0], "a mapping's address")?;
    let size = long(vm, st, args[1], "a mapping's size")?;
    let prot = long(vm, st, args[2], "a mapping's protection")?;
    if !address.is_multiple_of(PAGE) {
        return Ok(errno(EINVAL));
    }
    if size == 0 {
        return Ok(ok(0));
    }
    if prot & !KNOWN != 0 {
        return Ok(errno(EINVAL));
    }
    match range(st, address, size) {
        Range::Map { base, off } => {
            protect(st, base, off, size, rights(prot));
            Ok(ok(0))
        }
        Range::Other => Ok(ok(0)),
        Range::Hole => Ok(errno(ENOMEM)),
    }
}

pub(super) fn mremap(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const MAYMOVE: u64 = 1;
    const FIXED: u64 = 2;
    const DONTUNMAP: u64 = 4;
    let address = long(vm, st, args[0], "a mapping's address")?;
    let old = long(vm, st, args[1], "a mapping's size")?;
    let new = long(vm, st, args[2], "a mapping's size")?;
    let flags = long(vm, st, args[3], "flags")?;
    if flags & !(MAYMOVE | FIXED | DONTUNMAP) != 0
        || (flags & (FIXED | DONTUNMAP) != 0 && flags & MAYMOVE == 0)
        || !address.is_multiple_of(PAGE)
        || new == 0
    {
        return Ok(errno(EINVAL));
    }
    if new > TASK_SIZE || old > TASK_SIZE {
        return Ok(errno(if new > TASK_SIZE { ENOMEM } else { EINVAL }));
    }
    let (old, new) = (old.next_multiple_of(PAGE), new.next_multiple_of(PAGE));
    if flags & (FIXED | DONTUNMAP) != 0 {
        vm.note("mremap to a fixed address, or leaving the old one mapped, is refused (ENOMEM)");
        return Ok(errno(ENOMEM));
    }
    let Range::Map { base, off } = range(st, address, old.max(1)) else { return fault() };
    if new <= old {
        if new < old {
            unmap(st, base, off + new, old - new);
        }
        return Ok(ok(address));
    }
    if flags & MAYMOVE == 0 {
        return Ok(errno(ENOMEM));
    }
    let Some(moved) = allocate(vm, st, new) else { return Ok(errno(ENOMEM)) };
    let (bytes, rights): (Vec<Byte>, Rights) = match st.mem.object(base) {
        Some(o) => ((off..off + old).map(|i| o.byte(i)).collect(), o.rights_at(off)),
        None => return fault(),
    };
    fill(st, moved, 0, &bytes);
    protect(st, moved, 0, new, rights);
    unmap(st, base, off, old);
    Ok(ok(moved))
}

pub(super) fn madvise(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const DONTNEED: i32 = 4;
    let address = long(vm, st, args[0], "a mapping's address")?;
    let size = long(vm, st, args[1], "a mapping's size")?;
    let advice = int(vm, st, args[2], "an advice")?;
    if !matches!(advice, 0..=4 | 8..=23) || !address.is_multiple_of(PAGE) {
        return Ok(errno(EINVAL));
    }
    let Some(size) = size.checked_next_multiple_of(PAGE) else { return Ok(errno(EINVAL)) };
    if size == 0 {
        return Ok(ok(0));
    }
    match range(st, address, size) {
        Range::Map { base, off } if advice == DONTNEED => {
            if let Some(o) = st.mem.object_mut(base).filter(|o| o.origin == Origin::Map) {
                let n = size.min(o.size - off);
                o.fill(off, n, 0);
            }
            Ok(ok(0))
        }
        Range::Map { .. } | Range::Other => Ok(ok(0)),
        Range::Hole => Ok(errno(ENOMEM)),
    }
}

/// Everything that is mapped is in memory.
pub(super) fn mincore(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let address = long(vm, st, args[0], "a mapping's address")?;
    let size = long(vm, st, args[1], "a mapping's size")?;
    if !address.is_multiple_of(PAGE) {
        return Ok(errno(EINVAL));
    }
    if size > TASK_SIZE {
        return Ok(errno(ENOMEM));
    }
    if size == 0 {
        return Ok(ok(0));
    }
    if matches!(range(st, address, size), Range::Hole) {
        return Ok(errno(ENOMEM));
    }
    match user::write_bytes(vm, st, args[2], &vec![1; size.div_ceil(PAGE) as usize])? {
        Some(()) => Ok(ok(0)),
        None => fault(),
    }
}

pub(super) fn msync(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    const ASYNC: i32 = 1;
    const INVALIDATE: i32 = 2;
    const SYNC: i32 = 4;
    let address = long(vm, st, args[0], "a mapping's address")?;
    let size = long(vm, st, args[1], "a mapping's size")?;
    let flags = int(vm, st, args[2], "flags")?;
    if flags & !(ASYNC | INVALIDATE | SYNC) != 0
        || !address.is_multiple_of(PAGE)
        || flags & (ASYNC | SYNC) == ASYNC | SYNC
    {
        return Ok(errno(EINVAL));
    }
    if size > TASK_SIZE {
        return Ok(errno(ENOMEM));
    }
    let hole = size > 0 && matches!(range(st, address, size), Range::Hole);
    if let Range::Map { base, .. } = range(st, address, size) {
        write_back(st, base);
    }
    Ok(if hole { errno(ENOMEM) } else { ok(0) })
}

pub(super) fn mlockall(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let flags = int(vm, st, args[0], "flags")?;
    Ok(if flags == 0 || flags & !7 != 0 || flags == 4 { errno(EINVAL) } else { ok(0) })
}

/// Room for what programs ask of `brk` themselves; the C library's allocator does not.
const HEAP: u64 = 8 << 20;

/// The area of `brk` is made when it is first asked for. An end that cannot be had changes nothing.
pub(super) fn brk(vm: &mut Vm, st: &mut State, args: &[Value; 6]) -> Result {
    let wanted = long(vm, st, args[0], "the end of the data segment")?;
    let (base, end) = match ProcessState::of(st).heap {
        Some(heap) => heap,
        None => {
            let Some(base) = allocate(vm, st, HEAP) else { return Ok(ok(0)) };
            if let Some(o) = st.mem.object_mut(base) {
                o.set_rights(0, HEAP, Rights::None);
            }
            (base, base)
        }
    };
    let mut now = end;
    if wanted.checked_sub(base).is_some_and(|size| size <= HEAP) {
        let (low, high) = (end.min(wanted), end.max(wanted));
        let rights = if wanted > end { Rights::ReadWrite } else { Rights::None };
        // The page in which the data ends stays whole.
        let (from, to) = (low.next_multiple_of(PAGE), high.next_multiple_of(PAGE));
        if from < to
            && let Some(o) = st.mem.object_mut(base)
        {
            if wanted < end {
                o.fill(from - base, to - from, 0);
            }
            o.set_rights(from - base, to - from, rights);
        }
        now = wanted;
    }
    ProcessState::of(st).heap = Some((base, now));
    Ok(ok(now))
}
