//! What names and descriptors lead to: files, directories, links, pipes, devices. Plain data; the rules of who may do
//! what are in `names` and `files`.

use crate::content::Content;
use crate::pipes::Pipe;
use forkwise_expr::Expr;
use forkwise_vm::Visited;
use std::collections::BTreeMap;

/// Number of an inode; never used again on a path.
pub(crate) type Ino = u64;

/// Seconds and nanoseconds.
pub(crate) type Time = (i64, u32);

/// The program's user and group.
pub(crate) const USER: u32 = crate::process::UID as u32;
/// Its group.
pub(crate) const GROUP: u32 = USER;

/// Bits of a mode that say what it is.
pub(crate) const S_IFMT: u32 = 0o170000;
pub(crate) const S_IFIFO: u32 = 0o010000;
pub(crate) const S_IFCHR: u32 = 0o020000;
pub(crate) const S_IFDIR: u32 = 0o040000;
pub(crate) const S_IFREG: u32 = 0o100000;
pub(crate) const S_IFLNK: u32 = 0o120000;

/// Character devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// `/dev/null`
    Null,
    /// `/dev/zero`
    Zero,
    /// `/dev/full`
    Full,
    /// `/dev/tty`: there is no terminal.
    Tty,
    /// `/dev/random`
    Random,
    /// `/dev/urandom`
    Urandom,
}

impl Device {
    /// Major and minor number.
    pub fn number(self) -> (u32, u32) {
        match self {
            Device::Null => (1, 3),
            Device::Zero => (1, 5),
            Device::Full => (1, 7),
            Device::Random => (1, 8),
            Device::Urandom => (1, 9),
            Device::Tty => (5, 0),
        }
    }
}

/// A directory: names in order of creation.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// The directory above.
    pub parent: Ino,
    entries: BTreeMap<Vec<u8>, (u64, Ino)>,
    next: u64,
}

impl Directory {
    /// An empty one.
    pub fn new(parent: Ino) -> Directory {
        // Positions 0 and 1 are "." and "..".
        Directory { parent, entries: BTreeMap::new(), next: 2 }
    }

    /// What a name leads to.
    pub fn get(&self, name: &[u8]) -> Option<Ino> {
        self.entries.get(name).map(|e| e.1)
    }

    /// Adds a name, or makes it lead elsewhere.
    pub fn insert(&mut self, name: &[u8], ino: Ino) {
        match self.entries.get_mut(name) {
            Some(e) => e.1 = ino,
            None => {
                self.entries.insert(name.to_vec(), (self.next, ino));
                self.next += 1;
            }
        }
    }

    /// Removes a name.
    pub fn remove(&mut self, name: &[u8]) {
        self.entries.remove(name);
    }

    /// Has it no names?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.keys().map(|k| &**k)
    }

    /// All names in the order in which they were made: position, name, inode.
    pub fn in_order(&self) -> Vec<(u64, &[u8], Ino)> {
        let mut out: Vec<(u64, &[u8], Ino)> = self.entries.iter().map(|(n, (p, i))| (*p, &**n, *i)).collect();
        out.sort_unstable();
        out
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Number of entries that are directories, as the caller says.
    pub fn count(&self, is_directory: impl Fn(Ino) -> bool) -> u32 {
        self.entries.values().filter(|e| is_directory(e.1)).count() as u32
    }
}

/// What an inode is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A regular file.
    File(Content),
    /// A directory.
    Directory(Directory),
    /// A symbolic link and where it leads.
    Symlink(Vec<u8>),
    /// A pipe, named or not.
    Pipe(Pipe),
    /// A character device.
    Device(Device),
    /// The pipe that takes the program's output (1) or errors (2).
    Output(u32),
    /// The directory of the program's descriptors.
    Descriptors,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Inode {
    /// What it is.
    pub node: Node,
    /// Permissions, without the type.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Number of names.
    pub links: u32,
    /// Last access, last change of the contents, last change of anything.
    pub times: [Time; 3],
    /// Part of a mount that may not be changed.
    pub read_only: bool,
}

impl Inode {
    /// An inode of the program's user.
    pub fn new(node: Node, mode: u32, now: Time) -> Inode {
        Inode { node, mode, uid: USER, gid: GROUP, links: 1, times: [now; 3], read_only: false }
    }

    /// Type bits.
    pub fn kind(&self) -> u32 {
        match &self.node {
            Node::File(_) => S_IFREG,
            Node::Directory(_) | Node::Descriptors => S_IFDIR,
            Node::Symlink(_) => S_IFLNK,
            Node::Pipe(_) | Node::Output(_) => S_IFIFO,
            Node::Device(_) => S_IFCHR,
        }
    }

    /// Is it a directory?
    pub fn is_directory(&self) -> bool {
        self.kind() == S_IFDIR
    }

    /// The size that `stat` tells.
    pub fn size(&self) -> u64 {
        match &self.node {
            Node::File(c) => c.len(),
            // As on tmpfs, where native runs take place.
            Node::Directory(d) => 40 + 20 * d.len() as u64,
            Node::Symlink(target) => target.len() as u64,
            _ => 0,
        }
    }

    /// May the program's user do this? Bits as in `access`: 4 read, 2 write, 1 execute or search.
    pub fn allows(&self, want: u32) -> bool {
        let bits = match (self.uid == USER, self.gid == GROUP) {
            (true, _) => self.mode >> 6,
            (false, true) => self.mode >> 3,
            (false, false) => self.mode,
        };
        bits & want == want
    }

    /// Every expression in it.
    pub fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        match &self.node {
            Node::File(c) => c.expressions(visited, out),
            Node::Pipe(p) => p.expressions(out),
            _ => {}
        }
    }
}
