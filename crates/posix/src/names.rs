//! From a name to an inode: the walk over directories and links, with the error that Linux gives where it ends early.
//! Names are concrete here; `paths` makes symbolic ones so.

use crate::errno::{EACCES, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR};
use crate::inode::{Ino, Inode, Node};
use crate::tree::ROOT;
use crate::world::World;
use std::rc::Rc;

/// Longest name in a directory.
pub(crate) const NAME_MAX: usize = 255;
/// Longest path, its end included.
pub(crate) const PATH_MAX: usize = 4096;
const MOST_LINKS: u32 = 40;

/// What the last component of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    /// A name.
    Name,
    /// "."
    Dot,
    /// ".."
    DotDot,
    /// Nothing: the path is "/".
    Root,
}

/// What happens to a link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// It is followed.
    Yes,
    /// It is followed only if a slash comes after it.
    No,
    /// It is never followed, and what a slash after the last name means is the caller's business: the path names an
    /// entry of a directory, to be made or removed.
    Entry,
}

impl From<bool> for Follow {
    fn from(follow: bool) -> Follow {
        if follow { Follow::Yes } else { Follow::No }
    }
}

/// Where a path leads.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The directory of the last component.
    pub parent: Ino,
    /// The last component.
    pub name: Vec<u8>,
    /// What it leads to, if it exists.
    pub ino: Option<Ino>,
    /// The path ends with a slash.
    pub slash: bool,
    /// What the last component is.
    pub last: Last,
}

impl World {
    /// An inode.
    pub fn inode(&self, ino: Ino) -> Rc<Inode> {
        self.tree.inode(ino)
    }

    /// What a name in a directory leads to. `Err` where it cannot be searched.
    pub fn entry(&self, directory: Ino, name: &[u8]) -> Result<Option<Ino>, i64> {
        let inode = self.inode(directory);
        let parent = match &inode.node {
            Node::Directory(d) => d.parent,
            Node::Descriptors => directory,
            _ => return Err(ENOTDIR),
        };
        if !inode.allows(1) {
            return Err(EACCES);
        }
        if name.len() > NAME_MAX {
            return Err(ENAMETOOLONG);
        }
        Ok(match (name, &inode.node) {
            (b".", _) => Some(directory),
            (b"..", _) => Some(parent),
            (_, Node::Directory(d)) => d.get(name),
            (_, _) => self.descriptor_entry(name),
        })
    }

    /// A number in the directory of descriptors.
    fn descriptor_entry(&self, name: &[u8]) -> Option<Ino> {
        let fd: i32 = std::str::from_utf8(name).ok()?.parse().ok()?;
        (fd.to_string().as_bytes() == name).then(|| self.descriptors.get(fd).ok().map(|d| d.ino))?
    }

    /// Follows a path from the directory `start`.
    pub fn walk(&self, start: Ino, path: &[u8], follow: Follow) -> Result<Found, i64> {
        if path.is_empty() {
            return Err(ENOENT);
        }
        if path.len() >= PATH_MAX {
            return Err(ENAMETOOLONG);
        }
        let mut at = start;
        let mut rest = path.to_vec();
        let mut links = 0;
        loop {
            if rest.first() == Some(&b'/') {
                at = ROOT;
            }
            match self.walk_until_link(at, &rest, follow)? {
                Reached::End(found) => return Ok(found),
                Reached::Link { directory, target, after } => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(ELOOP);
                    }
                    if target.is_empty() {
                        return Err(ENOENT);
                    }
                    at = directory;
                    rest = target;
                    rest.extend_from_slice(&after);
                }
            }
        }
    }

    fn walk_until_link(&self, start: Ino, path: &[u8], follow: Follow) -> Result<Reached, i64> {
        let mut at = start;
        let mut rest = path;
        loop {
            let from = rest.iter().position(|b| *b != b'/').unwrap_or(rest.len());
            rest = &rest[from..];
            let end = rest.iter().position(|b| *b == b'/').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                let root =
                    Found { parent: at, name: Vec::new(), ino: Some(at), slash: true, last: Last::Root };
                return Ok(Reached::End(root));
            }
            let is_last = after.iter().all(|b| *b == b'/');
            let slash = is_last && !after.is_empty();
            let entry = self.entry(at, name)?;
            let inode = entry.map(|i| self.inode(i));
            if let Some(Node::Symlink(target)) = inode.as_ref().map(|i| &i.node)
                && (!is_last || follow == Follow::Yes || slash && follow == Follow::No)
            {
                return Ok(Reached::Link { directory: at, target: target.clone(), after: after.to_vec() });
            }
            if is_last {
                if slash && follow != Follow::Entry && inode.is_some_and(|i| !i.is_directory()) {
                    return Err(ENOTDIR);
                }
                let last = match name {
                    b"." => Last::Dot,
                    b".." => Last::DotDot,
                    _ => Last::Name,
                };
                return Ok(Reached::End(Found { parent: at, name: name.to_vec(), ino: entry, slash, last }));
            }
            at = entry.ok_or(ENOENT)?;
            rest = after;
        }
    }
}

enum Reached {
    End(Found),
    Link { directory: Ino, target: Vec<u8>, after: Vec<u8> },
}
