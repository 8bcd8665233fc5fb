//! How nodes are kept: compact records in one vector, found again by content through an open-addressing table, so
//! that equal nodes are one node. No simplification happens here, and nothing outside the manager may add a node.
//! Wide constants and lookup tables live beside the nodes and are interned too.

use crate::bits::Bits;
use crate::facts::Facts;
use crate::node::{Expr, FpOp, Kind, Op, SymbolId, TableId, Width};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a record is; operators follow from [`Tag::FIRST_OP`].
pub(crate) struct Tag;

impl Tag {
    pub const FREE: u8 = 0;
    pub const CONST: u8 = 1;
    pub const WIDE: u8 = 2;
    pub const SYMBOL: u8 = 3;
    pub const ITE: u8 = 4;
    pub const EXTRACT: u8 = 5;
    pub const ZEXT: u8 = 6;
    pub const SEXT: u8 = 7;
    pub const LOOKUP: u8 = 8;
    pub const FP: u8 = 9;
    pub const FIRST_OP: u8 = 16;
}

/// A record of 20 bytes. `a`, `b`, `c` are operand handles or immediates, depending on the tag; 0 is "none".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub tag: u8,
    /// The floating-point operation's code.
    pub sub: u8,
    /// Contains a floating-point operation.
    pub fp: bool,
    pub width: Width,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

fn handle(n: u32) -> Expr {
    Expr(std::num::NonZeroU32::new(n).expect("operand of a node"))
}

impl Node {
    pub const fn new(tag: u8, width: Width, a: u32, b: u32, c: u32) -> Node {
        Node { tag, sub: 0, fp: false, width, a, b, c }
    }

    pub fn word(width: Width, v: u64) -> Node {
        Node::new(Tag::CONST, width, v as u32, (v >> 32) as u32, 0)
    }

    /// The value of a constant of at most 64 bits.
    #[inline]
    pub fn value(&self) -> Option<u64> {
        (self.tag == Tag::CONST).then(|| u64::from(self.a) | u64::from(self.b) << 32)
    }

    #[inline]
    pub fn is_const(&self) -> bool {
        matches!(self.tag, Tag::CONST | Tag::WIDE)
    }

    #[inline]
    pub fn kind(&self) -> Kind {
        match self.tag {
            Tag::CONST | Tag::WIDE => Kind::Const,
            Tag::SYMBOL => Kind::Symbol(SymbolId(self.a)),
            Tag::ITE => Kind::Ite(handle(self.a), handle(self.b), handle(self.c)),
            Tag::EXTRACT => Kind::Extract(handle(self.a), self.b),
            Tag::ZEXT => Kind::ZExt(handle(self.a)),
            Tag::SEXT => Kind::SExt(handle(self.a)),
            Tag::LOOKUP => Kind::Lookup(TableId(self.a), handle(self.b)),
            Tag::FP => {
                let operand = |n| std::num::NonZeroU32::new(n).map(Expr);
                Kind::Fp(FpOp::ALL[usize::from(self.sub)], handle(self.a), operand(self.b), operand(self.c))
            }
            Tag::FREE => panic!("a handle of an expression that was collected"),
            op => match Op::ALL[usize::from(op - Tag::FIRST_OP)] {
                op @ (Op::Not | Op::Neg) => Kind::Un(op, handle(self.a)),
                op => Kind::Bin(op, handle(self.a), handle(self.b)),
            },
        }
    }

    /// The operand handles, table elements aside.
    pub fn operands(&self) -> [Option<Expr>; 3] {
        let operand = |n| std::num::NonZeroU32::new(n).map(Expr);
        match self.tag {
            Tag::FREE | Tag::CONST | Tag::WIDE | Tag::SYMBOL => [None; 3],
            Tag::LOOKUP => [operand(self.b), None, None],
            Tag::EXTRACT => [operand(self.a), None, None],
            _ => [operand(self.a), operand(self.b), operand(self.c)],
        }
    }

    #[inline]
    fn hash(&self) -> u32 {
        // Two multiplications by odd constants, folded: enough to spread consecutive handles.
        let x = u64::from(self.tag) | u64::from(self.sub) << 8 | u64::from(self.width) << 32;
        let y = u64::from(self.a) | u64::from(self.b) << 32;
        let h = (x ^ u64::from(self.c).rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ y;
        let p = u128::from(h) * 0xd6e8_feb8_6659_fd93_u128;
        let folded = p as u64 ^ (p >> 64) as u64;
        (folded ^ folded >> 32) as u32
    }
}

/// An interned lookup table with what is known of its elements together.
pub(crate) struct Table {
    pub elements: Rc<[Expr]>,
    pub width: Width,
    pub all_const: bool,
    pub fp: bool,
    /// Holds for every element.
    pub facts: Facts,
    /// Index of the interned support set of all elements, 0 when not computed.
    pub support: u32,
}

/// Where a node that was not found belongs.
pub(crate) struct Slot {
    position: usize,
    hash: u32,
}

fn entry(hash: u32, e: Expr) -> u64 {
    u64::from(hash) << 32 | u64::from(e.0.get())
}

/// The records and everything that is found by content.
#[derive(Default)]
pub(crate) struct Store {
    pub nodes: Vec<Node>,
    pub facts: Vec<Facts>,
    /// Handles, each below the hash of its node's content, placed by that hash; 0 is empty. The length is a power
    /// of two.
    slots: Vec<u64>,
    pub free: Vec<u32>,
    /// Nodes ever made.
    pub made: usize,
    pub wide: Vec<Option<Bits>>,
    pub wide_ids: FxHashMap<Bits, u32>,
    pub free_wide: Vec<u32>,
    pub tables: Vec<Option<Table>>,
    pub table_ids: FxHashMap<Rc<[Expr]>, u32>,
    pub free_tables: Vec<u32>,
    pub table_bytes: usize,
}

impl Store {
    #[inline]
    pub fn node(&self, e: Expr) -> &Node {
        &self.nodes[e.index()]
    }

    pub fn live(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// The node equal to this one, if there is one; else the slot to put it into.
    #[inline]
    pub fn find(&mut self, n: &Node) -> Result<Expr, Slot> {
        if self.slots.len() * 3 < (self.live() + 1) * 4 {
            self.grow();
        }
        let hash = n.hash();
        let mask = self.slots.len() - 1;
        let mut i = hash as usize & mask;
        loop {
            let entry = self.slots[i];
            if entry == 0 {
                return Err(Slot { position: i, hash });
            }
            // The hash beside the handle spares touching a node that cannot be the one.
            if (entry >> 32) as u32 == hash && self.nodes[entry as u32 as usize - 1] == *n {
                return Ok(handle(entry as u32));
            }
            i = (i + 1) & mask;
        }
    }

    /// Adds a node at the slot that [`Store::find`] gave, nothing having been added since.
    #[inline]
    pub fn insert(&mut self, slot: Slot, n: Node, facts: Facts) -> Expr {
        self.made += 1;
        let e = match self.free.pop() {
            Some(i) => {
                self.nodes[i as usize] = n;
                self.facts[i as usize] = facts;
                Expr::from_index(i as usize)
            }
            None => {
                self.nodes.push(n);
                self.facts.push(facts);
                Expr::from_index(self.nodes.len() - 1)
            }
        };
        self.slots[slot.position] = entry(slot.hash, e);
        e
    }

    /// Doubles the slots, by the hashes that are kept in them.
    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.slots, vec![0; len]);
        for e in old.into_iter().filter(|&e| e != 0) {
            self.place(e);
        }
    }

    /// Makes the slots anew from the live nodes.
    pub fn rebuild(&mut self) {
        let len = (self.live() * 2).next_power_of_two().max(1 << 10);
        self.slots = vec![0; len];
        for i in 0..self.nodes.len() {
            if self.nodes[i].tag != Tag::FREE {
                self.place(entry(self.nodes[i].hash(), Expr::from_index(i)));
            }
        }
    }

    /// Puts an entry that is not there yet into the first empty slot of its sequence.
    fn place(&mut self, entry: u64) {
        let mask = self.slots.len() - 1;
        let mut i = (entry >> 32) as usize & mask;
        while self.slots[i] != 0 {
            i = (i + 1) & mask;
        }
        self.slots[i] = entry;
    }

    /// Interns a constant of more than 64 bits.
    pub fn wide_id(&mut self, v: &Bits) -> u32 {
        if let Some(&id) = self.wide_ids.get(v) {
            return id;
        }
        let id = match self.free_wide.pop() {
            Some(id) => {
                self.wide[id as usize] = Some(v.clone());
                id
            }
            None => {
                self.wide.push(Some(v.clone()));
                self.wide.len() as u32 - 1
            }
        };
        self.wide_ids.insert(v.clone(), id);
        id
    }

    pub fn wide_value(&self, id: u32) -> &Bits {
        self.wide[id as usize].as_ref().expect("a live wide constant")
    }

    pub fn table(&self, t: TableId) -> &Table {
        self.tables[t.0 as usize].as_ref().expect("a table that was collected")
    }

    pub fn add_table(&mut self, table: Table) -> TableId {
        let elements = Rc::clone(&table.elements);
        self.table_bytes += elements.len() * size_of::<Expr>();
        let id = match self.free_tables.pop() {
            Some(id) => {
                self.tables[id as usize] = Some(table);
                id
            }
            None => {
                self.tables.push(Some(table));
                self.tables.len() as u32 - 1
            }
        };
        self.table_ids.insert(elements, id);
        TableId(id)
    }

    pub fn memory_bytes(&self) -> usize {
        let map_entry = size_of::<(Bits, u32)>() + 1;
        self.nodes.capacity() * size_of::<Node>()
            + self.facts.capacity() * size_of::<Facts>()
            + self.slots.capacity() * size_of::<u64>()
            + self.free.capacity() * size_of::<u32>()
            + self.wide.capacity() * size_of::<Option<Bits>>()
            + self.wide_ids.capacity() * map_entry
            + self.wide_ids.len() * 2 * 16
            + self.tables.capacity() * size_of::<Option<Table>>()
            + self.table_ids.capacity() * map_entry
            + self.table_bytes
    }
}
