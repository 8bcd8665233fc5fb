//! Paths as arguments of system calls. A symbolic path is compared with the names that exist, component by component:
//! each name of the program's own directories that it can be becomes a path of the exploration of its own, and all
//! that are no names together one more, whose bytes stay symbolic. Of those that say the same in another way (`./A`),
//! and of names in the system's directories, one is followed. No other values are enumerated.

use crate::call::{Call, OrStop, Stop, fail};
use crate::errno::{ENAMETOOLONG, ENOENT, ENOTDIR};
use crate::inode::{Ino, Node};
use crate::names::{Follow, Found, PATH_MAX};
use forkwise_expr::Expr;
use forkwise_vm::{Byte, Ended, Feasibility, Limit, Termination};

/// More names than this in one directory are not compared one by one.
const MOST_NAMES: usize = 256;

/// The directory that relative paths begin at.
pub(crate) const AT_FDCWD: i32 = -100;

/// What a path is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Something that exists: other paths fail without being looked at closer.
    Existing,
    /// Something that may be made: its name must be known.
    Creatable,
}

/// What the rest of a path can be.
enum Case {
    /// It ends here.
    End,
    /// A slash.
    Slash,
    /// An existing name, followed by the end or by a slash.
    Name { name: Vec<u8>, slash: bool },
    /// Another way to write a path, or a name of the system's: one such path is enough.
    Redundant,
    /// A file that is no directory, and then a slash.
    NotDirectory,
    /// A name that does not exist, and then something that makes no difference.
    Missing,
    /// A name that does not exist, at the end or with nothing but slashes after it.
    New,
}

impl Call<'_> {
    /// The path in argument `i` (and the directory it is relative to), found.
    pub fn find(
        &mut self,
        at: Option<usize>,
        i: usize,
        follow: impl Into<Follow>,
        wanted: Wanted,
    ) -> Result<Found, Stop> {
        let (start, path) = self.path(at, i, wanted)?;
        self.world().walk(start, &path, follow.into()).or_stop()
    }

    /// The path in argument `i` as something that exists.
    pub fn find_existing(&mut self, at: Option<usize>, i: usize, follow: bool) -> Result<Ino, Stop> {
        let found = self.find(at, i, follow, Wanted::Existing)?;
        found.ino.ok_or(Stop::Errno(ENOENT))
    }

    /// The path in argument `i` made concrete, and the directory it begins at: that of the descriptor in argument
    /// `at`, or the working directory.
    pub fn path(&mut self, at: Option<usize>, i: usize, wanted: Wanted) -> Result<(Ino, Vec<u8>), Stop> {
        let fd = match at {
            Some(at) => self.fd(at)?,
            None => AT_FDCWD,
        };
        let address = self.address(i)?;
        let bytes = self.string(address)?;
        let first = bytes.first().copied();
        if first.is_none() {
            return fail(ENOENT);
        }
        // A descriptor that is not used is not looked at.
        let start = match first {
            Some(Byte::Concrete(b'/')) => Ok(self.world().cwd),
            _ => self.directory(fd),
        };
        let start = match start {
            Ok(ino) => ino,
            Err(Stop::Errno(e)) if matches!(first, Some(Byte::Symbolic(_))) => {
                // It matters whether the path is absolute.
                let slash = self.is(bytes[0], b'/');
                let other = self.vm.exprs.not(slash);
                match self.decide(&[other, slash])? {
                    0 => return fail(e),
                    _ => self.world().cwd,
                }
            }
            Err(stop) => return Err(stop),
        };
        let path = self.settle(start, &bytes, wanted)?;
        Ok((start, path))
    }

    /// The directory of a descriptor.
    pub fn directory(&mut self, fd: i32) -> Result<Ino, Stop> {
        if fd == AT_FDCWD {
            return Ok(self.world().cwd);
        }
        let ino = self.world().descriptors.get(fd).or_stop()?.ino;
        if self.world().inode(ino).is_directory() { Ok(ino) } else { fail(ENOTDIR) }
    }

    /// The bytes of a string up to where it certainly ends.
    pub fn string(&mut self, address: u64) -> Result<Vec<Byte>, Stop> {
        let mut out = Vec::new();
        loop {
            let at = address.wrapping_add(out.len() as u64);
            let inside = self.st.mem.object(at).filter(|o| o.contains(at.wrapping_sub(o.base), 1));
            let Some(o) = inside else {
                // Not where a byte before is zero.
                let zeros: Vec<Expr> = out.iter().map(|b| self.is(*b, 0)).collect();
                let some = self.any(&zeros);
                let none = self.vm.exprs.not(some);
                if self.decide(&[some, none])? == 1 {
                    self.check(at, 1, false)?;
                }
                return Ok(out);
            };
            match o.byte(at - o.base) {
                Byte::Concrete(0) => return Ok(out),
                b => out.push(b),
            }
            if out.len() >= PATH_MAX {
                return fail(ENAMETOOLONG);
            }
        }
    }

    /// "This byte is `c`."
    fn is(&mut self, b: Byte, c: u8) -> Expr {
        let e = self.vm.byte_expr(b);
        let k = self.vm.exprs.constant(8, c as u64);
        self.vm.exprs.eq(e, k)
    }

    fn any(&mut self, conditions: &[Expr]) -> Expr {
        let mut out = self.vm.exprs.bool(false);
        for c in conditions {
            out = self.vm.exprs.or(out, *c);
        }
        out
    }

    /// Makes a path concrete; see the module text.
    fn settle(&mut self, start: Ino, bytes: &[Byte], wanted: Wanted) -> Result<Vec<u8>, Stop> {
        let mut path = Vec::with_capacity(bytes.len());
        let mut at = 0;
        let mut chosen = 0;
        loop {
            // What is concrete up to a slash or the end is taken as it is.
            let concrete: Vec<u8> = bytes[at..]
                .iter()
                .map_while(|b| match b {
                    Byte::Concrete(c) => Some(*c),
                    Byte::Symbolic(_) => None,
                })
                .collect();
            if concrete.len() == bytes.len() - at {
                path.extend(concrete);
                return Ok(path);
            }
            if let Some(slash) = concrete.iter().rposition(|c| *c == b'/') {
                path.extend(&concrete[..=slash]);
                at += slash + 1;
            }
            let directory = self.walked(start, &path)?;
            let rest = &bytes[at..];
            let Some((cases, conditions)) = self.cases(directory, rest, chosen > 0, wanted) else {
                path.extend(self.one_value(rest)?);
                return Ok(path);
            };
            chosen += 1;
            match cases.into_iter().nth(self.decide(&conditions)?) {
                Some(Case::End) | None => return Ok(path),
                Some(Case::Slash) => {
                    path.push(b'/');
                    at += 1;
                }
                Some(Case::Name { name, slash }) => {
                    at += name.len() + usize::from(slash);
                    path.extend(name);
                    if !slash {
                        return Ok(path);
                    }
                    path.push(b'/');
                }
                Some(Case::Missing) => return fail(ENOENT),
                Some(Case::NotDirectory) => return fail(ENOTDIR),
                Some(Case::Redundant | Case::New) => {
                    path.extend(self.one_value(rest)?);
                    return Ok(path);
                }
            }
        }
    }

    /// The directory that the beginning of a path leads to.
    fn walked(&mut self, start: Ino, path: &[u8]) -> Result<Ino, Stop> {
        if path.is_empty() {
            return Ok(start);
        }
        let found = self.world().walk(start, path, Follow::Yes).or_stop()?;
        let ino = found.ino.ok_or(Stop::Errno(ENOENT))?;
        // Also finds out whether it may be searched.
        self.world().entry(ino, b".").or_stop()?;
        Ok(ino)
    }

    /// What the rest of a path can be, and when; exactly one condition holds on every input. `None` where there are
    /// too many names.
    fn cases(
        &mut self,
        directory: Ino,
        rest: &[Byte],
        deeper: bool,
        wanted: Wanted,
    ) -> Option<(Vec<Case>, Vec<Expr>)> {
        let inode = self.world().inode(directory);
        let mut names: Vec<Vec<u8>> = match &inode.node {
            Node::Directory(d) => d.names().map(<[u8]>::to_vec).collect(),
            Node::Descriptors => {
                self.world().descriptors.numbers().map(|n| n.to_string().into_bytes()).collect()
            }
            _ => Vec::new(),
        };
        let fits = |name: &[u8]| {
            name.len() <= rest.len()
                && name.iter().zip(rest).all(|(c, b)| match b {
                    Byte::Concrete(d) => c == d,
                    Byte::Symbolic(_) => true,
                })
        };
        names.retain(|n| fits(n));
        if names.len() > MOST_NAMES {
            return None;
        }
        let mut cases = Vec::new();
        let mut conditions = Vec::new();
        let mut add = |case: Case, condition: Expr| {
            cases.push(case);
            conditions.push(condition);
        };
        let (mut known, mut redundant, mut files) = (Vec::new(), Vec::new(), Vec::new());
        let end = self.is(rest[0], 0);
        known.push(end);
        add(Case::End, end);
        let slash = self.is(rest[0], b'/');
        known.push(slash);
        if deeper {
            redundant.push(slash);
        } else {
            add(Case::Slash, slash);
        }
        let system = inode.read_only;
        let dots = [b".".to_vec(), b"..".to_vec()].into_iter().filter(|n| fits(n)).map(|n| (n, true));
        for (name, dots) in dots.chain(names.into_iter().map(|n| (n, false))) {
            let mut same = self.vm.exprs.bool(true);
            for (c, b) in name.iter().zip(rest) {
                let is = self.is(*b, *c);
                same = self.vm.exprs.and(same, is);
            }
            let after = rest.get(name.len()).copied().unwrap_or(Byte::Concrete(0));
            for (ending, slash) in [(0, false), (b'/', true)] {
                let ends = self.is(after, ending);
                let here = self.vm.exprs.and(same, ends);
                if self.vm.exprs.is_false(here) {
                    continue;
                }
                known.push(here);
                let is_file = slash && !self.leads_on(directory, &name);
                if is_file && wanted == Wanted::Existing && !system {
                    files.push(here);
                } else if is_file || (dots && (slash || deeper)) || (system && !dots) {
                    redundant.push(here);
                } else {
                    add(Case::Name { name: name.clone(), slash }, here);
                }
            }
        }
        for (case, conditions) in [(Case::Redundant, redundant), (Case::NotDirectory, files)] {
            if !conditions.is_empty() {
                let c = self.any(&conditions);
                add(case, c);
            }
        }
        let some = self.any(&known);
        let missing = self.vm.exprs.not(some);
        if wanted == Wanted::Existing {
            add(Case::Missing, missing);
        } else {
            let (plain, last) = self.last_component(rest);
            let not_plain = self.vm.exprs.not(plain);
            let with_slash = self.vm.exprs.and(last, not_plain);
            let lost = self.vm.exprs.not(last);
            // What may be made under a name followed by a slash is not what may be made under a plain one.
            for (case, kind) in [(Case::New, plain), (Case::New, with_slash), (Case::Missing, lost)] {
                let condition = self.vm.exprs.and(missing, kind);
                add(case, condition);
            }
        }
        Some((cases, conditions))
    }

    /// Can a name be followed by a slash and something more?
    fn leads_on(&self, directory: Ino, name: &[u8]) -> bool {
        let entry = self.world().entry(directory, name).ok().flatten();
        entry.is_some_and(|ino| {
            let inode = self.world().inode(ino);
            inode.is_directory() || matches!(inode.node, Node::Symlink(_))
        })
    }

    /// "There is no slash before the end", and "there is at most one component, followed by slashes or none".
    fn last_component(&mut self, rest: &[Byte]) -> (Expr, Expr) {
        let yes = self.vm.exprs.bool(true);
        let (mut plain, mut last, mut slashes) = (yes, yes, yes);
        for b in rest.iter().rev() {
            let (end, slash) = (self.is(*b, 0), self.is(*b, b'/'));
            let other = self.vm.exprs.not(slash);
            let on = self.vm.exprs.and(other, plain);
            plain = self.vm.exprs.or(end, on);
            let on = self.vm.exprs.and(other, last);
            let ends = self.vm.exprs.and(slash, slashes);
            slashes = self.vm.exprs.or(end, ends);
            last = self.vm.exprs.or(on, slashes);
        }
        (plain, last)
    }

    /// The witness's value of a string; the path goes on with it, all others end here as one unfinished path.
    pub fn one_value(&mut self, rest: &[Byte]) -> Result<Vec<u8>, Stop> {
        let mut out = Vec::new();
        let mut same = self.vm.exprs.bool(true);
        for b in rest {
            let c = match b {
                Byte::Concrete(c) => *c,
                Byte::Symbolic(e) => self.vm.eval(self.st, *e) as u8,
            };
            let is = self.is(*b, c);
            same = self.vm.exprs.and(same, is);
            if c == 0 {
                break;
            }
            out.push(c);
        }
        let other = self.vm.exprs.not(same);
        if let Feasibility::Yes(witness) = self.vm.may(self.st, other) {
            let state = self.vm.sibling(self.st, other, witness);
            let why = "other names of a file were not followed".to_string();
            self.vm.ended.push(Ended { state, termination: Termination::Limit(Limit::Values(why)) });
        }
        self.vm.assume_true(self.st, same);
        Ok(out)
    }
}
