//! The memory of a state: objects in slots of the address space (see `forkwise_ir::layout`).
//!
//! A concrete address resolves by a shift and a walk of at most four levels; bounds, freed objects and reused
//! indices are told apart exactly. This module knows nothing of expressions' meaning and never solves.

mod object;
mod rights;
mod table;

use crate::gc::Visited;
use forkwise_expr::Expr;
use forkwise_ir::layout;
use std::rc::Rc;

pub use object::{Byte, Object, Origin};
pub use rights::Rights;
use table::Table;

/// Where an address points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Into the slot of a live object: its first address (the offset may be outside the object's size).
    Live {
        /// First address of the object.
        base: u64,
    },
    /// Into the slot of an object that was freed.
    Freed,
    /// Into the null page.
    Null,
    /// A function's address.
    Code,
    /// Nowhere.
    Nothing,
}

/// See the module text. Cloning shares everything.
#[derive(Clone, Debug)]
pub struct Memory {
    small: Table,
    large: Table,
    next_small: u32,
    next_large: u32,
    free_head: u32,
    /// Live bytes.
    pub live_bytes: u64,
    /// Live objects.
    pub live_objects: u32,
    /// Live objects that do not end with a call: globals, the heap, maps.
    pub lasting_objects: u32,
    /// Live bytes that `malloc` and its like gave.
    pub heap_bytes: u64,
    /// The most there ever were of them.
    pub heap_peak: u64,
}

const OFFSET_MASK: u64 = (1 << layout::SMALL_OFFSET_BITS) - 1;
const INDEX_MASK: u64 = (1 << layout::SMALL_INDEX_BITS) - 1;
const LARGE_OFFSET_MASK: u64 = (1 << layout::LARGE_OFFSET_BITS) - 1;

#[inline(always)]
fn small_index(addr: u64) -> u32 {
    (addr >> layout::SMALL_OFFSET_BITS & INDEX_MASK) as u32
}

#[inline(always)]
fn generation(addr: u64) -> u32 {
    (addr >> (layout::SMALL_OFFSET_BITS + layout::SMALL_INDEX_BITS)) as u32
}

impl Memory {
    /// Empty memory that will allocate from the given indices on.
    pub fn new(first_small: u32, first_large: u32) -> Memory {
        Memory {
            small: Table::default(),
            large: Table::default(),
            next_small: first_small,
            next_large: first_large,
            free_head: 0,
            live_bytes: 0,
            live_objects: 0,
            lasting_objects: 0,
            heap_bytes: 0,
            heap_peak: 0,
        }
    }

    /// Puts an object at a given address (a global).
    pub fn place(&mut self, object: Object) {
        let base = object.base;
        self.live_bytes += object.size;
        self.live_objects += 1;
        self.lasting_objects += u32::from(object.origin.is_lasting());
        let entry = if base & layout::LARGE_FLAG != 0 {
            self.large.get_mut(((base & !layout::LARGE_FLAG) >> layout::LARGE_OFFSET_BITS) as u32)
        } else {
            self.small.get_mut(small_index(base))
        };
        entry.object = Some(Rc::new(object));
    }

    /// A new zero-filled object; `None` when the address space is exhausted.
    pub fn allocate(&mut self, size: u64, origin: Origin, loc: u32) -> Option<u64> {
        let base;
        if size > layout::SMALL_MAX_SIZE {
            if size >= 1 << (layout::LARGE_OFFSET_BITS - 1) || self.next_large >= 1 << 20 {
                return None;
            }
            base = layout::large_address(self.next_large);
            let entry = self.large.get_mut(self.next_large);
            entry.object = Some(Rc::new(Object::new(base, size, origin, loc)));
            self.next_large += 1;
        } else {
            let index = if self.free_head != 0 {
                let i = self.free_head;
                self.free_head = self.small.get_mut(i).next_free;
                i
            } else {
                if self.next_small as u64 > INDEX_MASK {
                    return None;
                }
                self.next_small += 1;
                self.next_small - 1
            };
            let entry = self.small.get_mut(index);
            base = layout::small_address(index, entry.generation);
            entry.object = Some(Rc::new(Object::new(base, size, origin, loc)));
        }
        self.live_bytes += size;
        self.live_objects += 1;
        self.lasting_objects += u32::from(origin.is_lasting());
        if origin == Origin::Heap {
            self.heap_bytes += size;
            self.heap_peak = self.heap_peak.max(self.heap_bytes);
        }
        Some(base)
    }

    /// Frees the object whose first address is `base`; false if there is none.
    pub fn free(&mut self, base: u64) -> bool {
        let Some(object) = self.object(base).filter(|o| o.base == base) else { return false };
        let (size, lasting) = (object.size, object.origin.is_lasting());
        let heap = object.origin == Origin::Heap;
        if base & layout::LARGE_FLAG != 0 {
            self.large.get_mut(((base & !layout::LARGE_FLAG) >> layout::LARGE_OFFSET_BITS) as u32).object =
                None;
        } else {
            let index = small_index(base);
            let head = self.free_head;
            let entry = self.small.get_mut(index);
            entry.object = None;
            entry.generation += 1;
            // An index whose generations are used up is never taken again: an address never means two objects.
            if entry.generation < 1 << layout::GENERATION_BITS {
                entry.next_free = head;
                self.free_head = index;
            }
        }
        self.live_bytes -= size;
        self.live_objects -= 1;
        self.lasting_objects -= u32::from(lasting);
        if heap {
            self.heap_bytes = self.heap_bytes.saturating_sub(size);
        }
        true
    }

    /// The live object in whose slot `addr` lies.
    #[inline(always)]
    pub fn object(&self, addr: u64) -> Option<&Object> {
        if addr & layout::LARGE_FLAG != 0 {
            return self.large_object(addr);
        }
        let e = self.small.get(small_index(addr))?;
        if e.generation != generation(addr) {
            return None;
        }
        e.object.as_deref()
    }

    #[cold]
    fn large_object(&self, addr: u64) -> Option<&Object> {
        let o =
            self.large.get(((addr & !layout::LARGE_FLAG) >> layout::LARGE_OFFSET_BITS).try_into().ok()?)?;
        o.object.as_deref()
    }

    /// The same for changing: what is shared is copied.
    #[inline]
    pub fn object_mut(&mut self, addr: u64) -> Option<&mut Object> {
        self.object(addr)?;
        let e = if addr & layout::LARGE_FLAG != 0 {
            self.large.get_mut(((addr & !layout::LARGE_FLAG) >> layout::LARGE_OFFSET_BITS) as u32)
        } else {
            self.small.get_mut(small_index(addr))
        };
        e.object.as_mut().map(Rc::make_mut)
    }

    /// Offset of an address in its slot.
    #[inline(always)]
    pub fn offset(addr: u64) -> u64 {
        if addr & layout::LARGE_FLAG != 0 { addr & LARGE_OFFSET_MASK } else { addr & OFFSET_MASK }
    }

    /// Where an address points.
    pub fn locate(&self, addr: u64) -> Place {
        if let Some(o) = self.object(addr) {
            return Place::Live { base: o.base };
        }
        if addr & layout::LARGE_FLAG != 0 {
            let i = (addr & !layout::LARGE_FLAG) >> layout::LARGE_OFFSET_BITS;
            return if i < self.next_large as u64 { Place::Freed } else { Place::Nothing };
        }
        let (index, g) = (small_index(addr), generation(addr));
        match index {
            layout::NULL_INDEX if g == 0 => Place::Null,
            layout::FUNCTION_INDEX | layout::BLOCK_INDEX if g == 0 => Place::Code,
            _ => match self.small.get(index) {
                Some(e) if index < self.next_small && g < e.generation => Place::Freed,
                _ => Place::Nothing,
            },
        }
    }

    /// A concrete load of 1 to 8 bytes; `None` means: take the slow path (which finds out why).
    #[inline(always)]
    pub fn load_fast(&self, addr: u64, n: usize) -> Option<u64> {
        let e = self.small.get(small_index(addr))?;
        if e.generation as u64 != addr >> (layout::SMALL_OFFSET_BITS + layout::SMALL_INDEX_BITS) {
            return None;
        }
        let o = e.object.as_ref()?;
        o.load_fast(addr.wrapping_sub(o.base) as usize, n)
    }

    /// A concrete store of 1 to 8 bytes; false means: take the slow path.
    #[inline(always)]
    pub fn store_fast(&mut self, addr: u64, n: usize, v: u64) -> bool {
        let g = addr >> (layout::SMALL_OFFSET_BITS + layout::SMALL_INDEX_BITS);
        if self.small.get(small_index(addr)).is_none() {
            return false;
        }
        let e = self.small.get_mut(small_index(addr));
        if e.generation as u64 != g {
            return false;
        }
        match &mut e.object {
            Some(o) => {
                let off = addr.wrapping_sub(o.base) as usize;
                Rc::make_mut(o).store_fast(off, n, v)
            }
            None => false,
        }
    }

    /// Every expression in memory, parts shared with other states once.
    pub(crate) fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        self.small.expressions(visited, out);
        self.large.expressions(visited, out);
    }

    /// All live objects in address order.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.small.iter().chain(self.large.iter()).filter_map(|(_, e)| e.object.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_and_reused_indices_are_told_apart() {
        let mut m = Memory::new(10, 0);
        let a = m.allocate(8, Origin::Heap, 0).unwrap();
        assert!(m.store_fast(a, 8, 0x1122334455667788));
        assert_eq!(m.load_fast(a + 4, 4), Some(0x11223344));
        assert_eq!(m.load_fast(a + 5, 4), None);
        assert!(m.free(a));
        assert!(!m.free(a));
        assert_eq!(m.locate(a), Place::Freed);
        let b = m.allocate(8, Origin::Heap, 0).unwrap();
        assert_ne!(a, b);
        assert_eq!(m.load_fast(a, 1), None);
        assert_eq!(m.load_fast(b, 1), Some(0));
        assert_eq!(m.locate(a), Place::Freed);
    }

    #[test]
    fn forks_do_not_share_writes() {
        let mut m = Memory::new(10, 0);
        let a = m.allocate(4, Origin::Heap, 0).unwrap();
        let mut n = m.clone();
        assert!(n.store_fast(a, 4, 7));
        assert_eq!(m.load_fast(a, 4), Some(0));
        assert_eq!(n.load_fast(a, 4), Some(7));
    }

    #[test]
    fn large_objects_are_sparse() {
        let mut m = Memory::new(10, 0);
        let a = m.allocate(1 << 30, Origin::Heap, 0).unwrap();
        m.object_mut(a).unwrap().write((1 << 29) - 2, &[1, 2, 3, 4]);
        let o = m.object(a).unwrap();
        assert_eq!(o.byte((1 << 29) + 1), Byte::Concrete(4));
        assert_eq!(o.byte(0), Byte::Concrete(0));
        assert!(o.memory_bytes() < 8 << 20);
        assert_eq!(m.locate(a + (1 << 31)), Place::Live { base: a });
    }
}
