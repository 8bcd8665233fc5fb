//! Page rights of memory maps: read-only, inaccessible and unmapped pages inside one object.
//!
//! Objects without such pages pay nothing: theirs stays a plain store. A guarded object leaves the fast paths of loads
//! and stores, so that `access` sees every use of it and asks [`Object::permits`].

use super::object::{Byte, Object, PAGE, Page, Store};
use std::rc::Rc;

/// What may be done with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Read and write.
    ReadWrite,
    /// Read only.
    Read,
    /// Nothing; it can get rights again.
    None,
    /// It is gone.
    Unmapped,
}

/// Pages with rights of their own.
#[derive(Clone, Debug)]
pub(super) struct Guarded {
    pub(super) pages: Vec<Option<Rc<Page>>>,
    pub(super) rights: Vec<Rights>,
}

impl Object {
    /// May `off .. off + n` be read, or written? False outside of the object.
    #[inline(always)]
    pub fn permits(&self, off: u64, n: u64, write: bool) -> bool {
        self.contains(off, n) && !(write && self.readonly) && self.guards_permit(off, n, write)
    }

    #[inline(always)]
    fn guards_permit(&self, off: u64, n: u64, write: bool) -> bool {
        match &self.store {
            Store::Guarded(g) if n > 0 => {
                let (first, last) = ((off / PAGE) as usize, ((off + n - 1) / PAGE) as usize);
                g.rights[first..=last]
                    .iter()
                    .all(|r| *r == Rights::ReadWrite || (*r == Rights::Read && !write))
            }
            _ => true,
        }
    }

    /// Are there pages with rights of their own?
    pub fn is_guarded(&self) -> bool {
        matches!(self.store, Store::Guarded(_))
    }

    /// The rights of the page that holds byte `off`.
    pub fn rights_at(&self, off: u64) -> Rights {
        match &self.store {
            _ if off >= self.size.next_multiple_of(PAGE) => Rights::Unmapped,
            Store::Guarded(g) => g.rights[(off / PAGE) as usize],
            _ if self.readonly => Rights::Read,
            _ => Rights::ReadWrite,
        }
    }

    /// Gives the pages that `off .. off + n` touches other rights. What is unmapped loses its contents.
    pub fn set_rights(&mut self, off: u64, n: u64, rights: Rights) {
        let count = self.size.div_ceil(PAGE);
        let (first, end) = (off / PAGE, off.saturating_add(n).div_ceil(PAGE).min(count));
        if first >= end {
            return;
        }
        let all = first == 0 && end == count;
        if all && matches!(rights, Rights::Read | Rights::ReadWrite) {
            self.unguard();
            self.readonly = rights == Rights::Read;
            return;
        }
        let guarded = self.guard();
        for page in first as usize..end as usize {
            guarded.rights[page] = rights;
            if rights == Rights::Unmapped {
                guarded.pages[page] = None;
            }
        }
        let one = guarded.rights[0];
        if matches!(one, Rights::Read | Rights::ReadWrite) && guarded.rights.iter().all(|r| *r == one) {
            self.unguard();
            self.readonly = one == Rights::Read;
        }
    }

    /// Is every page gone?
    pub fn is_unmapped(&self) -> bool {
        matches!(&self.store, Store::Guarded(g) if g.rights.iter().all(|r| *r == Rights::Unmapped))
    }

    fn guard(&mut self) -> &mut Guarded {
        if !self.is_guarded() {
            let rights = vec![self.rights_at(0); self.size.div_ceil(PAGE) as usize];
            self.readonly = false;
            let pages = self.take_pages();
            self.store = Store::Guarded(Box::new(Guarded { pages, rights }));
        }
        match &mut self.store {
            Store::Guarded(g) => g,
            _ => unreachable!("just made"),
        }
    }

    fn unguard(&mut self) {
        if self.is_guarded() {
            let pages = self.take_pages();
            self.store = Store::Paged(pages);
        }
    }

    /// The contents as pages; the object is left empty.
    fn take_pages(&mut self) -> Vec<Option<Rc<Page>>> {
        match std::mem::replace(&mut self.store, Store::Paged(Vec::new())) {
            Store::Paged(pages) => pages,
            Store::Guarded(g) => g.pages,
            Store::Flat(flat) => {
                let size = self.size;
                (0..size.div_ceil(PAGE))
                    .map(|i| {
                        let (at, len) = (i * PAGE, PAGE.min(size - i * PAGE));
                        let mut page = Page::zeroed(len);
                        let mut empty = true;
                        for k in 0..len {
                            let byte = flat.byte((at + k) as usize);
                            if byte != Byte::Concrete(0) {
                                page.set(k as usize, byte);
                                empty = false;
                            }
                        }
                        (!empty).then(|| Rc::new(page))
                    })
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Origin;
    use super::*;

    #[test]
    fn pages_have_rights_of_their_own() {
        let mut o = Object::new(1 << 24, 3 * PAGE, Origin::Map, 0);
        o.write(PAGE, b"abc");
        o.set_rights(0, PAGE, Rights::Read);
        o.set_rights(2 * PAGE, 1, Rights::Unmapped);
        assert!(o.permits(0, PAGE, false) && !o.permits(0, 1, true));
        assert!(o.permits(PAGE, PAGE, true) && !o.permits(PAGE - 1, 2, true));
        assert!(!o.permits(2 * PAGE - 1, 2, false));
        assert_eq!(o.load_fast(PAGE as usize, 1), None);
        assert_eq!(o.byte(PAGE + 2), Byte::Concrete(b'c'));
        assert_eq!(o.concrete_run(PAGE, 3), b"abc");
        assert!(o.concrete_run(2 * PAGE, 3).is_empty());
        o.set_byte(PAGE, Byte::Concrete(b'x'));
        o.set_rights(0, PAGE, Rights::None);
        assert!(!o.permits(0, 1, false));
        assert_eq!(o.rights_at(2 * PAGE), Rights::Unmapped);
        assert!(!o.is_unmapped());
        o.set_rights(0, 3 * PAGE, Rights::ReadWrite);
        assert!(!o.is_guarded());
        assert_eq!(o.load_fast(PAGE as usize, 2), Some(u64::from(u16::from_le_bytes(*b"xb"))));
        o.set_rights(0, 3 * PAGE, Rights::Unmapped);
        assert!(o.is_unmapped());
    }
}
