//! One memory object: its bytes, and an overlay of expressions where bytes are symbolic.
//!
//! Objects are shared between states and copied when written. Large ones are kept in pages, so that a write copies
//! a page and not the object; pages never written do not exist and read as zero.

use super::rights::Guarded;
use forkwise_expr::Expr;
use std::rc::Rc;

/// Objects larger than this are kept in pages.
pub const PAGED_ABOVE: u64 = 64 * 1024;
/// Size of a page.
pub const PAGE: u64 = 4096;

/// Where an object came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Global variable number.
    Global(u32),
    /// Stack variable `var` of function `func`.
    Stack {
        /// Function number.
        func: u32,
        /// Index into its variable names.
        var: u32,
    },
    /// Allocated by the program.
    Heap,
    /// Mapped by the program (`mmap`).
    Map,
    /// Made by the engine (arguments, environment, variadic arguments, …).
    Engine,
}

impl Origin {
    /// Lives until somebody frees it, rather than until a call ends.
    pub(crate) fn is_lasting(self) -> bool {
        matches!(self, Origin::Global(_) | Origin::Heap | Origin::Map)
    }
}

/// A run of bytes with an optional overlay; `overlay[i]` replaces byte i.
#[derive(Clone, Debug, Default)]
pub struct Page {
    bytes: Box<[u8]>,
    overlay: Option<Box<Overlay>>,
}

#[derive(Clone, Debug)]
struct Overlay {
    exprs: Box<[Option<Expr>]>,
    count: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Store {
    Flat(Page),
    Paged(Vec<Option<Rc<Page>>>),
    /// Pages with rights of their own: no fast paths.
    Guarded(Box<Guarded>),
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) store: Store,
    /// Size in bytes.
    pub size: u64,
    /// First address.
    pub base: u64,
    /// Where it came from.
    pub origin: Origin,
    /// Location number of the allocation.
    pub loc: u32,
    /// May not be written.
    pub readonly: bool,
    /// Memory that was asked to be leaked or that is not the program's business in leak reports.
    pub external: bool,
}

/// A byte of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// A concrete byte.
    Concrete(u8),
    /// An expression of width 8.
    Symbolic(Expr),
}

impl Page {
    #[inline(always)]
    fn load_fast(&self, off: usize, n: usize) -> Option<u64> {
        let bytes = self.bytes.get(off..off.checked_add(n)?)?;
        if self.overlay.is_some() && !self.all_concrete(off, n) {
            return None;
        }
        Some(match n {
            1 => bytes[0] as u64,
            2 => u16::from_le_bytes(bytes.try_into().ok()?) as u64,
            4 => u32::from_le_bytes(bytes.try_into().ok()?) as u64,
            8 => u64::from_le_bytes(bytes.try_into().ok()?),
            _ => bytes.iter().rev().fold(0, |v, b| v << 8 | *b as u64),
        })
    }

    #[inline(always)]
    fn store_fast(&mut self, off: usize, n: usize, v: u64) -> bool {
        let Some(bytes) = self.bytes.get_mut(off..off.saturating_add(n)) else { return false };
        match n {
            1 => bytes[0] = v as u8,
            2 => bytes.copy_from_slice(&(v as u16).to_le_bytes()),
            4 => bytes.copy_from_slice(&(v as u32).to_le_bytes()),
            8 => bytes.copy_from_slice(&v.to_le_bytes()),
            _ => bytes.copy_from_slice(&v.to_le_bytes()[..n]),
        }
        if self.overlay.is_some() {
            self.clear_overlay(off, n);
        }
        true
    }

    pub(super) fn zeroed(size: u64) -> Page {
        Page { bytes: vec![0; size as usize].into(), overlay: None }
    }

    #[inline(always)]
    fn all_concrete(&self, off: usize, n: usize) -> bool {
        match &self.overlay {
            None => true,
            Some(o) => o.exprs.get(off..off + n).is_some_and(|s| s.iter().all(Option::is_none)),
        }
    }

    pub(super) fn byte(&self, off: usize) -> Byte {
        match self.overlay.as_ref().and_then(|o| o.exprs[off]) {
            Some(e) => Byte::Symbolic(e),
            None => Byte::Concrete(self.bytes[off]),
        }
    }

    pub(super) fn set(&mut self, off: usize, b: Byte) {
        match b {
            Byte::Concrete(v) => {
                self.bytes[off] = v;
                self.clear_overlay(off, 1);
            }
            Byte::Symbolic(e) => {
                let n = self.bytes.len();
                let o = self
                    .overlay
                    .get_or_insert_with(|| Box::new(Overlay { exprs: vec![None; n].into(), count: 0 }));
                if o.exprs[off].replace(e).is_none() {
                    o.count += 1;
                }
            }
        }
    }

    #[inline]
    fn clear_overlay(&mut self, off: usize, n: usize) {
        if let Some(o) = &mut self.overlay {
            for e in &mut o.exprs[off..off + n] {
                if e.take().is_some() {
                    o.count -= 1;
                }
            }
            if o.count == 0 {
                self.overlay = None;
            }
        }
    }

    fn write(&mut self, off: usize, data: &[u8]) {
        self.bytes[off..off + data.len()].copy_from_slice(data);
        self.clear_overlay(off, data.len());
    }

    fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.overlay.as_ref().map_or(0, |o| o.exprs.len() * 4)
    }
}

impl Object {
    /// A zero-filled object.
    pub fn new(base: u64, size: u64, origin: Origin, loc: u32) -> Object {
        let store = if size > PAGED_ABOVE {
            Store::Paged(vec![None; size.div_ceil(PAGE) as usize])
        } else {
            Store::Flat(Page::zeroed(size))
        };
        Object { store, size, base, origin, loc, readonly: false, external: false }
    }

    /// Is `off .. off + n` inside?
    #[inline(always)]
    pub fn contains(&self, off: u64, n: u64) -> bool {
        off.checked_add(n).is_some_and(|end| end <= self.size)
    }

    /// Up to eight concrete bytes as a little-endian number; `None`: take the slow path, which finds out why.
    #[inline(always)]
    pub fn load_fast(&self, off: usize, n: usize) -> Option<u64> {
        match &self.store {
            Store::Flat(page) => page.load_fast(off, n),
            Store::Paged(pages) => {
                pages.get(off / PAGE as usize)?.as_ref()?.load_fast(off % PAGE as usize, n)
            }
            Store::Guarded(_) => None,
        }
    }

    /// Stores up to eight concrete bytes; false: take the slow path.
    #[inline(always)]
    pub fn store_fast(&mut self, off: usize, n: usize, v: u64) -> bool {
        if self.readonly {
            return false;
        }
        match &mut self.store {
            Store::Flat(page) => page.store_fast(off, n, v),
            Store::Paged(pages) => match pages.get_mut(off / PAGE as usize) {
                Some(Some(page)) => Rc::make_mut(page).store_fast(off % PAGE as usize, n, v),
                _ => false,
            },
            Store::Guarded(_) => false,
        }
    }

    /// The pages of an object that has any.
    fn pages(&self) -> Option<&[Option<Rc<Page>>]> {
        match &self.store {
            Store::Flat(_) => None,
            Store::Paged(pages) => Some(pages),
            Store::Guarded(g) => Some(&g.pages),
        }
    }

    /// Byte `off` (inside the object).
    pub fn byte(&self, off: u64) -> Byte {
        let pages = match &self.store {
            Store::Flat(p) => return p.byte(off as usize),
            Store::Paged(pages) => pages,
            Store::Guarded(g) => &g.pages,
        };
        match &pages[(off / PAGE) as usize] {
            None => Byte::Concrete(0),
            Some(p) => p.byte((off % PAGE) as usize),
        }
    }

    /// Sets byte `off` (inside the object).
    pub fn set_byte(&mut self, off: u64, b: Byte) {
        let (page, off) = self.page_mut(off);
        page.set(off, b);
    }

    fn page_mut(&mut self, off: u64) -> (&mut Page, usize) {
        let size = self.size;
        let pages = match &mut self.store {
            Store::Flat(p) => return (p, off as usize),
            Store::Paged(pages) => pages,
            Store::Guarded(g) => &mut g.pages,
        };
        let i = off / PAGE;
        let page = pages[i as usize].get_or_insert_with(|| Rc::new(Page::zeroed(PAGE.min(size - i * PAGE))));
        (Rc::make_mut(page), (off % PAGE) as usize)
    }

    /// Writes concrete bytes at `off` (inside the object).
    pub fn write(&mut self, mut off: u64, mut data: &[u8]) {
        while !data.is_empty() {
            let (page, at) = self.page_mut(off);
            let n = data.len().min(page.bytes.len() - at);
            page.write(at, &data[..n]);
            off += n as u64;
            data = &data[n..];
        }
    }

    /// Fills `n` bytes at `off` with a concrete byte.
    pub fn fill(&mut self, mut off: u64, mut n: u64, v: u8) {
        while n > 0 {
            if v == 0
                && let Store::Paged(pages) = &mut self.store
            {
                let i = (off / PAGE) as usize;
                let end = PAGE.min(self.size - i as u64 * PAGE);
                if off.is_multiple_of(PAGE) && n >= end {
                    pages[i] = None;
                    off += end;
                    n -= end;
                    continue;
                }
            }
            let (page, at) = self.page_mut(off);
            let k = (n as usize).min(page.bytes.len() - at);
            page.bytes[at..at + k].fill(v);
            page.clear_overlay(at, k);
            off += k as u64;
            n -= k as u64;
        }
    }

    /// The longest run of concrete bytes starting at `off`, at most `n` long and within one page.
    pub fn concrete_run(&self, off: u64, n: usize) -> &[u8] {
        const ZERO: [u8; PAGE as usize] = [0; PAGE as usize];
        let (page, at) = match &self.store {
            Store::Flat(p) => (p, off as usize),
            // What may not be read is left to those who check.
            Store::Guarded(_) if !self.permits(off, 1, false) => return &[],
            Store::Guarded(_) | Store::Paged(_) => {
                match &self.pages().unwrap_or_default()[(off / PAGE) as usize] {
                    Some(p) => (&**p, (off % PAGE) as usize),
                    None => {
                        let at = (off % PAGE) as usize;
                        let end = (PAGE as usize).min((self.size - (off - off % PAGE)) as usize);
                        return &ZERO[at..end.min(at.saturating_add(n))];
                    }
                }
            }
        };
        let end = page.bytes.len().min(at.saturating_add(n));
        let run = match &page.overlay {
            None => end - at,
            Some(o) => o.exprs[at..end].iter().take_while(|e| e.is_none()).count(),
        };
        &page.bytes[at..at + run]
    }

    /// Does it hold any symbolic byte?
    pub fn has_symbolic(&self) -> bool {
        match &self.store {
            Store::Flat(p) => p.overlay.is_some(),
            _ => self.pages().unwrap_or_default().iter().flatten().any(|p| p.overlay.is_some()),
        }
    }

    /// Every expression in it, for garbage collection.
    pub fn exprs(&self) -> impl Iterator<Item = Expr> {
        let pages: Vec<&Page> = match &self.store {
            Store::Flat(p) => vec![p],
            _ => self.pages().unwrap_or_default().iter().flatten().map(|p| &**p).collect(),
        };
        pages.into_iter().filter_map(|p| p.overlay.as_ref()).flat_map(|o| o.exprs.iter().flatten().copied())
    }

    /// Bytes of memory it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Object>()
            + match &self.store {
                Store::Flat(p) => p.memory_bytes(),
                _ => self.pages().unwrap_or_default().iter().flatten().map(|p| p.memory_bytes()).sum(),
            }
    }
}
