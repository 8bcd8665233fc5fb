//! The bytes of a file, each concrete or symbolic. Kept in pages that paths share until they write; pages that do not
//! exist are zero, or those of a host file.

use crate::mounts::HostFile;
use forkwise_expr::Expr;
use forkwise_vm::{Byte, Visited};
use std::collections::BTreeMap;
use std::rc::Rc;

const PAGE: u64 = 4096;

/// A page; bytes beyond its vector are zero.
#[derive(Clone, Debug, Default)]
struct Page {
    bytes: Vec<u8>,
    symbolic: BTreeMap<u16, Expr>,
}

/// See the module text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pages: BTreeMap<u64, Rc<Page>>,
    host: Option<Rc<HostFile>>,
    /// Bytes of the host file that still are this file's.
    host_len: u64,
    len: u64,
}

impl Content {
    /// These bytes.
    pub fn new(bytes: &[Byte]) -> Content {
        let mut out = Content::default();
        out.write(0, bytes);
        out
    }

    /// These concrete bytes.
    pub fn plain(bytes: &[u8]) -> Content {
        Content::new(&bytes.iter().map(|b| Byte::Concrete(*b)).collect::<Vec<_>>())
    }

    /// What a host file holds, read when it is needed.
    pub fn host(file: Rc<HostFile>, len: u64) -> Content {
        Content { host: Some(file), host_len: len, len, ..Content::default() }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    fn page_bytes(&self, number: u64) -> Vec<u8> {
        let start = number * PAGE;
        let Some(host) = self.host.as_ref().filter(|_| start < self.host_len) else { return Vec::new() };
        let end = (start + PAGE).min(self.host_len);
        let bytes = host.bytes();
        let at = |i: u64| (i as usize).min(bytes.len());
        bytes[at(start)..at(end)].to_vec()
    }

    /// Up to `n` bytes from `offset` on; fewer at the end.
    pub fn read(&self, offset: u64, n: u64) -> Vec<Byte> {
        let end = offset.saturating_add(n).min(self.len);
        let mut out = Vec::with_capacity(end.saturating_sub(offset) as usize);
        let mut at = offset;
        while at < end {
            let number = at / PAGE;
            let stop = end.min((number + 1) * PAGE);
            let from_host;
            let page = match self.pages.get(&number) {
                Some(page) => &**page,
                None => {
                    from_host = Page { bytes: self.page_bytes(number), symbolic: BTreeMap::new() };
                    &from_host
                }
            };
            for i in at % PAGE..at % PAGE + (stop - at) {
                out.push(match page.symbolic.get(&(i as u16)) {
                    Some(e) => Byte::Symbolic(*e),
                    None => Byte::Concrete(page.bytes.get(i as usize).copied().unwrap_or(0)),
                });
            }
            at = stop;
        }
        out
    }

    fn page_mut(&mut self, number: u64) -> &mut Page {
        if !self.pages.contains_key(&number) {
            let page = Page { bytes: self.page_bytes(number), symbolic: BTreeMap::new() };
            self.pages.insert(number, Rc::new(page));
        }
        Rc::make_mut(self.pages.entry(number).or_default())
    }

    /// Writes bytes at `offset`; the file grows as needed, with zeros in between.
    pub fn write(&mut self, offset: u64, bytes: &[Byte]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let from = (at % PAGE) as usize;
            let n = rest.len().min(PAGE as usize - from);
            let page = self.page_mut(at / PAGE);
            if page.bytes.len() < from + n {
                page.bytes.resize(from + n, 0);
            }
            for (i, b) in rest[..n].iter().enumerate() {
                let i = from + i;
                match b {
                    Byte::Concrete(c) => {
                        page.bytes[i] = *c;
                        page.symbolic.remove(&(i as u16));
                    }
                    Byte::Symbolic(e) => {
                        page.symbolic.insert(i as u16, *e);
                    }
                }
            }
            at += n as u64;
            rest = &rest[n..];
        }
        if !bytes.is_empty() {
            self.len = self.len.max(at);
        }
    }

    /// Cuts the file or makes it longer with zeros.
    pub fn resize(&mut self, len: u64) {
        if len < self.len {
            let last = len / PAGE;
            self.pages.split_off(&len.div_ceil(PAGE));
            if let Some(page) = self.pages.get_mut(&last) {
                let page = Rc::make_mut(page);
                page.bytes.truncate((len % PAGE) as usize);
                page.symbolic.split_off(&((len % PAGE) as u16));
            }
            self.host_len = self.host_len.min(len);
        }
        self.len = len;
    }

    /// Every expression in it.
    pub fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        for page in self.pages.values() {
            if visited.first(&**page) {
                out.extend(page.symbolic.values());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(c: &Content, offset: u64, n: u64) -> Vec<u8> {
        c.read(offset, n)
            .iter()
            .map(|b| match b {
                Byte::Concrete(c) => *c,
                Byte::Symbolic(_) => 255,
            })
            .collect()
    }

    #[test]
    fn cutting_and_growing_leaves_zeros() {
        let mut c = Content::plain(&[7; 5000]);
        c.resize(4098);
        c.resize(6000);
        assert_eq!(plain(&c, 4096, 4), [7, 7, 0, 0]);
        assert_eq!(c.len(), 6000);
        c.resize(4096);
        c.write(4100, &[Byte::Concrete(1)]);
        assert_eq!(plain(&c, 4094, 100), [7, 7, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn copies_do_not_share_writes() {
        let a = Content::plain(b"abc");
        let mut b = a.clone();
        b.write(1, &[Byte::Concrete(b'x')]);
        assert_eq!((plain(&a, 0, 9), plain(&b, 0, 9)), (b"abc".to_vec(), b"axc".to_vec()));
        assert!(plain(&a, 3, 1).is_empty() && plain(&a, 99, 1).is_empty());
    }

    #[test]
    fn sparse_files_cost_nothing() {
        let mut c = Content::default();
        c.resize(1 << 40);
        assert_eq!(plain(&c, 1 << 39, 2), [0, 0]);
        assert!(c.pages.is_empty());
    }
}
