//! Descriptors and the open file descriptions they lead to. Duplicates share a description, and with it the offset.

use crate::errno::{EBADF, EMFILE};
use crate::inode::Ino;
use std::collections::BTreeMap;

/// Flags of `open`.
pub(crate) const O_ACCMODE: u32 = 3;
pub(crate) const O_WRONLY: u32 = 1;
pub(crate) const O_RDWR: u32 = 2;
pub(crate) const O_CREAT: u32 = 0o100;
pub(crate) const O_EXCL: u32 = 0o200;
pub(crate) const O_TRUNC: u32 = 0o1000;
pub(crate) const O_APPEND: u32 = 0o2000;
pub(crate) const O_NONBLOCK: u32 = 0o4000;
pub(crate) const O_LARGEFILE: u32 = 0o100000;
pub(crate) const O_DIRECTORY: u32 = 0o200000;
pub(crate) const O_NOFOLLOW: u32 = 0o400000;
pub(crate) const O_CLOEXEC: u32 = 0o2000000;
pub(crate) const O_PATH: u32 = 0o10000000;
/// `O_TMPFILE` without the bit of `O_DIRECTORY`.
pub(crate) const O_TMPFILE_BIT: u32 = 0o20000000;

/// An open file description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    /// What is open.
    pub ino: Ino,
    /// The offset; in a directory the next position.
    pub offset: u64,
    /// Access mode and status flags, as `fcntl` tells them.
    pub flags: u32,
}

impl Description {
    /// Can it be read?
    pub fn readable(&self) -> bool {
        self.flags & O_PATH == 0 && self.flags & O_ACCMODE != O_WRONLY
    }

    /// Can it be written?
    pub fn writable(&self) -> bool {
        self.flags & O_PATH == 0 && matches!(self.flags & O_ACCMODE, O_WRONLY | O_RDWR)
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    description: u32,
    cloexec: bool,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Descriptors {
    slots: Vec<Option<Slot>>,
    open: BTreeMap<u32, Description>,
    next: u32,
    /// Numbers must be below this (RLIMIT_NOFILE).
    pub limit: u64,
}

impl Default for Descriptors {
    fn default() -> Descriptors {
        Descriptors { slots: Vec::new(), open: BTreeMap::new(), next: 0, limit: 1024 }
    }
}

impl Descriptors {
    fn slot(&self, fd: i32) -> Result<Slot, i64> {
        usize::try_from(fd).ok().and_then(|i| *self.slots.get(i)?).ok_or(EBADF)
    }

    /// The description behind a number.
    pub fn get(&self, fd: i32) -> Result<&Description, i64> {
        self.open.get(&self.slot(fd)?.description).ok_or(EBADF)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, fd: i32) -> Result<&mut Description, i64> {
        let slot = self.slot(fd)?;
        self.open.get_mut(&slot.description).ok_or(EBADF)
    }

    /// Is it closed by exec?
    pub fn cloexec(&self, fd: i32) -> Result<bool, i64> {
        Ok(self.slot(fd)?.cloexec)
    }

    /// Sets whether it is closed by exec.
    pub fn set_cloexec(&mut self, fd: i32, on: bool) -> Result<(), i64> {
        self.slot(fd)?;
        if let Some(Some(slot)) = self.slots.get_mut(fd as usize) {
            slot.cloexec = on;
        }
        Ok(())
    }

    /// The lowest free number from `least` on.
    pub fn free(&self, least: u64) -> Result<i32, i64> {
        let used = |i: u64| self.slots.get(i as usize).is_some_and(Option::is_some);
        let n = (least..).find(|i| !used(*i)).unwrap_or(u64::MAX);
        if n >= self.limit { Err(EMFILE) } else { Ok(n as i32) }
    }

    fn set(&mut self, fd: i32, slot: Slot) {
        let i = fd as usize;
        if self.slots.len() <= i {
            self.slots.resize(i + 1, None);
        }
        self.slots[i] = Some(slot);
    }

    /// Opens a description under the lowest free number.
    pub fn open(&mut self, description: Description, cloexec: bool) -> Result<i32, i64> {
        let fd = self.free(0)?;
        let id = self.next;
        self.next += 1;
        self.open.insert(id, description);
        self.set(fd, Slot { description: id, cloexec });
        Ok(fd)
    }

    /// Makes `to` lead where `from` does; `to` must be free.
    pub fn duplicate(&mut self, from: i32, to: i32, cloexec: bool) -> Result<(), i64> {
        let slot = self.slot(from)?;
        self.set(to, Slot { cloexec, ..slot });
        Ok(())
    }

    /// Closes a number; the description that went with it, if that was its last one.
    pub fn close(&mut self, fd: i32) -> Result<Option<Description>, i64> {
        let slot = self.slot(fd)?;
        self.slots[fd as usize] = None;
        if self.slots.iter().flatten().any(|s| s.description == slot.description) {
            return Ok(None);
        }
        Ok(self.open.remove(&slot.description))
    }

    /// All open descriptions.
    pub fn all(&self) -> impl Iterator<Item = &Description> {
        self.open.values()
    }

    /// Numbers in use.
    pub fn numbers(&self) -> impl Iterator<Item = i32> {
        self.slots.iter().enumerate().filter(|s| s.1.is_some()).map(|s| s.0 as i32)
    }
}
