//! The inodes of a path: those it began with, shared by all paths, and those it changed or made. Copying it costs what
//! was changed.

use crate::inode::{Device, Directory, Ino, Inode, Node, Time};
use crate::mounts::Mounts;
use crate::setup::Mount;
use forkwise_expr::Expr;
use forkwise_vm::Visited;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The root directory.
pub(crate) const ROOT: Ino = 1;
/// Inodes outside of the tree, such as pipes, have numbers from here on: natively they use up none of the tree's.
const FIRST_OUTSIDE: Ino = 1 << 32;

/// Where programs run. Natively it is a directory of the run's own.
pub const WORKING_DIRECTORY: &str = "/tmp/work";

/// See the module text.
#[derive(Clone)]
pub(crate) struct Tree {
    /// Number 1 is at index 0.
    base: Rc<Vec<Rc<Inode>>>,
    mounts: Rc<Mounts>,
    changed: BTreeMap<Ino, Rc<Inode>>,
    /// The next number in the tree, and outside of it.
    next: Ino,
    next_outside: Ino,
}

impl Tree {
    /// The inode of a number that something in the tree holds.
    pub fn inode(&self, ino: Ino) -> Rc<Inode> {
        self.changed
            .get(&ino)
            .or_else(|| self.base.get((ino as usize).wrapping_sub(1)))
            .cloned()
            .or_else(|| self.mounts.inode(ino))
            .unwrap_or_else(|| Rc::new(Inode::new(Node::Device(Device::Null), 0, (0, 0))))
    }

    /// The same, to change it.
    pub fn inode_mut(&mut self, ino: Ino) -> &mut Inode {
        if !self.changed.contains_key(&ino) {
            let inode = self.inode(ino);
            self.changed.insert(ino, inode);
        }
        // The fallback is never needed: the entry was made above.
        Rc::make_mut(
            self.changed
                .entry(ino)
                .or_insert_with(|| Rc::new(Inode::new(Node::Device(Device::Null), 0, (0, 0)))),
        )
    }

    /// Adds an inode, not yet under a name. Numbers follow one another, as on tmpfs.
    pub fn add(&mut self, inode: Inode) -> Ino {
        let ino = self.next;
        self.next += 1;
        self.changed.insert(ino, Rc::new(inode));
        ino
    }

    /// Adds an inode that will never be in the tree.
    pub fn add_outside(&mut self, inode: Inode) -> Ino {
        let ino = self.next_outside;
        self.next_outside += 1;
        self.changed.insert(ino, Rc::new(inode));
        ino
    }

    /// Forgets an inode that the path made and that nothing leads to any more.
    pub fn forget(&mut self, ino: Ino) {
        if (self.base.len() as Ino + 1..crate::mounts::FIRST).contains(&ino) {
            self.changed.remove(&ino);
        }
    }

    /// Every expression in it.
    pub fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        if visited.first(&*self.base) {
            self.base.iter().for_each(|i| i.expressions(visited, out));
        }
        for inode in self.changed.values() {
            if visited.first(&**inode) {
                inode.expressions(visited, out);
            }
        }
    }
}

/// The tree that programs start with. Inodes are made in the order in which `replay` makes those of its sandbox
/// (`native/world.rs`), because that gives them their numbers; `runtime/native/files.c` knows some of these.
pub(crate) struct Builder {
    inodes: Vec<Inode>,
    outside: Vec<Inode>,
    mounts: Rc<Mounts>,
    now: Time,
}

impl Builder {
    /// Directories, devices and the files that name the user.
    pub fn new(mounts: Rc<Mounts>, now: Time) -> Builder {
        let mut b = Builder { inodes: Vec::new(), outside: Vec::new(), mounts, now };
        b.push(Node::Directory(Directory::new(ROOT)), 0o755, 0);
        b.make_directory(b"/dev", 0o755);
        for (name, device) in [
            (&b"null"[..], Device::Null),
            (b"zero", Device::Zero),
            (b"full", Device::Full),
            (b"tty", Device::Tty),
            (b"random", Device::Random),
            (b"urandom", Device::Urandom),
        ] {
            let ino = b.push(Node::Device(device), 0o666, 0);
            b.link(b"/dev", name, ino);
        }
        for (name, target) in [
            (&b"fd"[..], &b"/proc/self/fd"[..]),
            (b"stdin", b"/proc/self/fd/0"),
            (b"stdout", b"/proc/self/fd/1"),
            (b"stderr", b"/proc/self/fd/2"),
        ] {
            let ino = b.push(Node::Symlink(target.to_vec()), 0o777, 0);
            b.link(b"/dev", name, ino);
        }
        b.make_directory(b"/etc", 0o755);
        b.file(b"/etc", b"passwd", b"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp/work:/bin/sh\n");
        b.file(b"/etc", b"group", b"root:x:0:\nuser:x:1000:\n");
        // Nobody may list them: natively a file system of the kernel is below, which is not modelled.
        b.make_directory(b"/proc/self", 0o111);
        let ino = b.push(Node::Descriptors, 0o500, crate::inode::USER);
        b.inodes[ino as usize - 1].links = 2;
        b.link(b"/proc/self", b"fd", ino);
        b.make_directory(b"/proc/self/.kernel", 0o555);
        b.make_directory(b"/tmp", 0o1777);
        let work = b.make_directory(WORKING_DIRECTORY.as_bytes(), 0o755);
        b.own(work);
        b
    }

    fn push(&mut self, node: Node, mode: u32, owner: u32) -> Ino {
        let mut inode = Inode::new(node, mode, self.now);
        // In native runs the host's files are read-only, and everything belongs to the one user there is.
        inode.read_only = owner == 0;
        self.inodes.push(inode);
        self.inodes.len() as Ino
    }

    fn own(&mut self, ino: Ino) {
        self.inodes[ino as usize - 1].read_only = false;
    }

    fn directory_mut(&mut self, ino: Ino) -> Option<&mut Directory> {
        match &mut self.inodes.get_mut((ino as usize).checked_sub(1)?)?.node {
            Node::Directory(d) => Some(d),
            _ => None,
        }
    }

    fn link(&mut self, folder: &[u8], name: &[u8], ino: Ino) {
        let at = self.make_directory(folder, 0o755);
        if let Some(d) = self.directory_mut(at) {
            d.insert(name, ino);
        }
    }

    fn file(&mut self, folder: &[u8], name: &[u8], bytes: &[u8]) {
        let ino = self.push(Node::File(crate::content::Content::plain(bytes)), 0o644, 0);
        self.link(folder, name, ino);
    }

    /// The directory of an absolute path, made where it is missing.
    fn make_directory(&mut self, path: &[u8], mode: u32) -> Ino {
        let mut at = ROOT;
        for name in path.split(|b| *b == b'/').filter(|n| !n.is_empty()) {
            at = match self.directory_mut(at).and_then(|d| d.get(name)) {
                Some(ino) if self.directory_mut(ino).is_some() => ino,
                _ => {
                    let ino = self.push(Node::Directory(Directory::new(at)), mode, 0);
                    if let Some(d) = self.directory_mut(at) {
                        d.insert(name, ino);
                    }
                    ino
                }
            };
        }
        at
    }

    /// The working directory.
    pub fn working_directory(&mut self) -> Ino {
        self.make_directory(WORKING_DIRECTORY.as_bytes(), 0o755)
    }

    /// An inode that is not in the tree, with so many names elsewhere.
    pub fn add_outside(&mut self, node: Node, mode: u32, links: u32) -> Ino {
        self.outside.push(Inode { links, ..Inode::new(node, mode, self.now) });
        FIRST_OUTSIDE + self.outside.len() as Ino - 1
    }

    /// A file of the program's user in the working directory.
    pub fn add_file(&mut self, name: &[u8], content: crate::content::Content) {
        let ino = self.push(Node::File(content), 0o644, crate::inode::USER);
        self.link(WORKING_DIRECTORY.as_bytes(), name, ino);
    }

    /// Puts a mount at its place.
    pub fn mount(&mut self, mount: &Mount) {
        let path = mount.guest.trim_end_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.make_directory(folder.as_bytes(), 0o755);
        let ino = self.mounts.add(mount, parent);
        if let Some(d) = self.directory_mut(parent) {
            d.insert(name.as_bytes(), ino);
        }
    }

    /// The tree.
    pub fn finish(mut self) -> Tree {
        // Each directory has a name, its own "." and the ".." of those in it. The descriptors' is natively a link.
        let is_directory: Vec<bool> =
            self.inodes.iter().map(|inode| matches!(inode.node, Node::Directory(_))).collect();
        for inode in &mut self.inodes {
            if let Node::Directory(d) = &inode.node {
                inode.links = 2 + d.count(|i| is_directory.get(i as usize - 1).copied().unwrap_or(false));
            }
        }
        let next = self.inodes.len() as Ino + 1;
        let mut tree = Tree {
            base: Rc::new(self.inodes.into_iter().map(Rc::new).collect()),
            mounts: self.mounts,
            changed: BTreeMap::new(),
            next,
            next_outside: FIRST_OUTSIDE,
        };
        for inode in self.outside {
            tree.add_outside(inode);
        }
        tree
    }
}
