//! Host files that the program may read, loaded when something asks for them and never written. Symbolic links are
//! shown as links and followed in the program's own tree, so nothing outside of a mount can be reached through one.

use crate::content::Content;
use crate::inode::{Directory, Ino, Inode, Node, Time};
use crate::setup::Mount;
use std::cell::{OnceCell, RefCell};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Inodes of mounts have numbers from here on.
pub(crate) const FIRST: Ino = 1 << 40;

/// The contents of a host file, read once.
#[derive(Debug)]
pub(crate) struct HostFile {
    path: PathBuf,
    bytes: OnceCell<Vec<u8>>,
}

impl HostFile {
    /// Its bytes. A file that cannot be read any more is empty.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| fs::read(&self.path).unwrap_or_default())
    }
}

#[derive(Debug)]
struct Entry {
    host: PathBuf,
    parent: Ino,
    read_only: bool,
    inode: Option<Rc<Inode>>,
}

/// All that has been seen of the mounts, shared by all paths: a host file is the same on each of them.
#[derive(Debug, Default)]
pub(crate) struct Mounts {
    entries: RefCell<Vec<Entry>>,
}

impl Mounts {
    /// Adds a mount below the directory `parent`; the number of its inode.
    pub fn add(&self, mount: &Mount, parent: Ino) -> Ino {
        self.push(mount.host.clone(), parent, mount.read_only)
    }

    fn push(&self, host: PathBuf, parent: Ino, read_only: bool) -> Ino {
        let mut entries = self.entries.borrow_mut();
        entries.push(Entry { host, parent, read_only, inode: None });
        FIRST + entries.len() as u64 - 1
    }

    /// An inode of a mount.
    pub fn inode(&self, ino: Ino) -> Option<Rc<Inode>> {
        let index = usize::try_from(ino.checked_sub(FIRST)?).ok()?;
        let (host, parent, read_only) = {
            let entries = self.entries.borrow();
            let e = entries.get(index)?;
            if let Some(inode) = &e.inode {
                return Some(inode.clone());
            }
            (e.host.clone(), e.parent, e.read_only)
        };
        let inode = Rc::new(self.load(&host, ino, parent, read_only));
        self.entries.borrow_mut()[index].inode = Some(inode.clone());
        Some(inode)
    }

    fn load(&self, host: &Path, ino: Ino, parent: Ino, read_only: bool) -> Inode {
        let data = fs::symlink_metadata(host);
        let nothing = || Inode { read_only, ..Inode::new(Node::File(Content::default()), 0, (0, 0)) };
        let Ok(data) = data else { return nothing() };
        let node = if data.is_dir() {
            Node::Directory(self.directory(host, ino, parent, read_only))
        } else if data.is_file() {
            let file = HostFile { path: host.to_path_buf(), bytes: OnceCell::new() };
            Node::File(Content::host(Rc::new(file), data.len()))
        } else if data.is_symlink() {
            match fs::read_link(host) {
                Ok(target) => Node::Symlink(target.as_os_str().as_bytes().to_vec()),
                Err(_) => return nothing(),
            }
        } else {
            return nothing();
        };
        let time = |s: i64, ns: i64| -> Time { (s, ns as u32) };
        let mut inode = Inode::new(node, data.mode() & 0o777, time(data.mtime(), data.mtime_nsec()));
        inode.read_only = read_only;
        inode
    }

    fn directory(&self, host: &Path, ino: Ino, parent: Ino, read_only: bool) -> Directory {
        let mut names: Vec<_> =
            fs::read_dir(host).map(|d| d.flatten().map(|e| e.file_name()).collect()).unwrap_or_default();
        names.sort();
        let mut out = Directory::new(parent);
        for name in names {
            let child = self.push(host.join(&name), ino, read_only);
            out.insert(name.as_bytes(), child);
        }
        out
    }
}
