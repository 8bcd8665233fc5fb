//! The manager: the one place where expressions are made. It checks widths, folds constants, applies the rewrite
//! rules (`rules`) and interns (`store`). It never looks at paths or programs, and its answers depend only on what
//! was built before, never on time or hashing order.

use crate::Bits;
use crate::node::{Expr, FpOp, Kind, Op, SymbolId, TableId, Width};
use crate::rules::{self, Counters, Rule};
use crate::semantics;
use crate::softfloat::FpFormat;
use crate::store::{Node, Store, Table, Tag};
use crate::support::Supports;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Generations are unique over all managers, so that a memo made for one is never taken for another's.
static NEXT_GENERATION: AtomicU64 = AtomicU64::new(1);

pub(crate) fn next_generation() -> u64 {
    NEXT_GENERATION.fetch_add(1, Ordering::Relaxed)
}

/// How deep rules may call constructors. Real terms need a handful of levels; the limit is for chains.
const MAX_DEPTH: u32 = 40;
/// How many constructor calls one constructor may cause through rules.
const MAX_STEPS: u32 = 400;

/// Owns every expression. Not thread-safe by design: one exploration is single-threaded.
pub struct Exprs {
    pub(crate) store: Store,
    pub(crate) supports: Supports,
    pub(crate) rules: Counters,
    pub(crate) generation: u64,
    /// Tables made by applying an operator with a constant to every element (see `rules::lookup`).
    pub(crate) mapped_tables: FxHashMap<(Op, bool, TableId, Expr), TableId>,
    bools: [Expr; 2],
    /// Nesting of constructors called by rules, and the steps left to the outermost one.
    depth: u32,
    steps: u32,
}

impl Default for Exprs {
    fn default() -> Exprs {
        let placeholder = Expr::from_index(0);
        let mut ex = Exprs {
            store: Store::default(),
            supports: Supports::default(),
            rules: Counters::default(),
            generation: next_generation(),
            mapped_tables: FxHashMap::default(),
            bools: [placeholder; 2],
            depth: 0,
            steps: 0,
        };
        ex.bools = [ex.constant(1, 0), ex.constant(1, 1)];
        ex
    }
}

impl Exprs {
    /// An empty manager.
    pub fn new() -> Exprs {
        Exprs::default()
    }

    // ---- looking at expressions

    /// What the expression is.
    #[inline]
    pub fn kind(&self, e: Expr) -> Kind {
        self.store.node(e).kind()
    }

    /// Number of bits.
    #[inline]
    pub fn width(&self, e: Expr) -> Width {
        self.store.node(e).width
    }

    /// The value of a constant of at most 64 bits; `None` when not a constant or wider.
    #[inline]
    pub fn const_u64(&self, e: Expr) -> Option<u64> {
        self.store.node(e).value()
    }

    /// Is it a constant (of any width)?
    #[inline]
    pub fn is_const(&self, e: Expr) -> bool {
        self.store.node(e).is_const()
    }

    /// The value of a constant of any width.
    pub fn bits(&self, e: Expr) -> Option<Bits> {
        let n = self.store.node(e);
        match n.tag {
            Tag::WIDE => Some(self.store.wide_value(n.a).clone()),
            _ => n.value().map(|v| Bits::from_u64(n.width, v)),
        }
    }

    /// Is it the constant 1 of width 1?
    #[inline]
    pub fn is_true(&self, e: Expr) -> bool {
        e == self.bools[1]
    }

    /// Is it the constant 0 of width 1?
    #[inline]
    pub fn is_false(&self, e: Expr) -> bool {
        e == self.bools[0]
    }

    /// The two truth values, which are always alive.
    pub(crate) fn truth_values(&self) -> [Expr; 2] {
        self.bools
    }

    /// The elements of a table.
    pub fn table(&self, t: TableId) -> &[Expr] {
        &self.store.table(t).elements
    }

    /// Does the expression contain a floating-point operation? (kept per node, O(1))
    #[inline]
    pub fn has_fp(&self, e: Expr) -> bool {
        self.store.node(e).fp
    }

    /// Number of nodes ever made. Every [`Expr::index`] is below it.
    pub fn len(&self) -> usize {
        self.store.made
    }

    /// Is nothing made yet? (Never true: the two truth values always exist.)
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of nodes alive.
    pub fn live(&self) -> usize {
        self.store.live()
    }

    /// Changes whenever handles may have been given to other expressions (see `collect`): whoever keeps values by
    /// handle must drop them then. Unique over all managers of the process.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Bytes of memory held by the manager, for memory limits.
    pub fn memory_bytes(&self) -> usize {
        let mapped = self.mapped_tables.capacity() * (size_of::<((Op, bool, TableId, Expr), TableId)>() + 1);
        self.store.memory_bytes() + self.supports.memory_bytes() + mapped + size_of::<Exprs>()
    }

    // ---- making expressions; every constructor simplifies

    /// The constant `value`, cut to `width` bits.
    pub fn constant(&mut self, width: Width, value: u64) -> Expr {
        debug_assert!(width > 0, "a constant of no bits");
        if width > 64 {
            return self.constant_bits(&Bits::from_u64(width, value));
        }
        self.intern(Node::word(width, value & semantics::mask(width)))
    }

    /// A constant of any width.
    pub fn constant_bits(&mut self, value: &Bits) -> Expr {
        if value.width() <= 64 {
            return self.intern(Node::word(value.width(), value.low_u64()));
        }
        let id = self.store.wide_id(value);
        self.intern(Node::new(Tag::WIDE, value.width(), id, 0, 0))
    }

    /// A truth value.
    #[inline]
    pub fn bool(&mut self, b: bool) -> Expr {
        self.bools[usize::from(b)]
    }

    /// An input byte.
    pub fn symbol(&mut self, s: SymbolId) -> Expr {
        self.intern(Node::new(Tag::SYMBOL, 8, s.0, 0, 0))
    }

    /// Bitwise negation.
    pub fn not(&mut self, a: Expr) -> Expr {
        self.unary(Op::Not, a)
    }

    /// Two's complement negation.
    pub fn neg(&mut self, a: Expr) -> Expr {
        self.unary(Op::Neg, a)
    }

    /// Runs the rules for a constructor, within the bounds on depth and work.
    #[inline]
    fn simplify(&mut self, rules: impl FnOnce(&mut Exprs) -> Option<Expr>) -> Option<Expr> {
        if self.depth == 0 {
            self.steps = MAX_STEPS;
        }
        if self.depth == MAX_DEPTH || self.steps == 0 {
            return None;
        }
        self.steps -= 1;
        self.depth += 1;
        let result = rules(self);
        self.depth -= 1;
        result
    }

    fn folded(&mut self, value: &Bits) -> Expr {
        self.rules.count(Rule::FoldConstants);
        self.constant_bits(value)
    }

    fn unary(&mut self, op: Op, a: Expr) -> Expr {
        let width = self.width(a);
        if let Some(v) = self.const_u64(a) {
            self.rules.count(Rule::FoldConstants);
            return self.constant(width, semantics::un_u64(op, width, v));
        }
        if let Some(v) = self.bits(a) {
            return self.folded(&semantics::un_bits(op, &v));
        }
        self.simplify(|ex| rules::unary(ex, op, a)).unwrap_or_else(|| self.raw_un(op, a))
    }

    /// Any binary operator of [`Op`].
    pub fn bin(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        debug_assert!(!op.is_unary(), "{op:?} takes one operand");
        debug_assert!(
            op == Op::Concat || self.width(a) == self.width(b),
            "{op:?} on operands of {} and {} bits",
            self.width(a),
            self.width(b)
        );
        let (x, y) = (self.is_const(a), self.is_const(b));
        if x && y {
            return self.fold_bin(op, a, b);
        }
        // Constants to the right, everything else by handle.
        let (a, b) = if op.is_commutative() && (x || !y && b < a) { (b, a) } else { (a, b) };
        self.simplify(|ex| rules::binary(ex, op, a, b)).unwrap_or_else(|| self.raw_bin(op, a, b))
    }

    fn fold_bin(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        if op != Op::Concat
            && let (Some(x), Some(y)) = (self.const_u64(a), self.const_u64(b))
        {
            let width = self.width(a);
            self.rules.count(Rule::FoldConstants);
            return self.constant(op.result_width(width), semantics::bin_u64(op, width, x, y));
        }
        let (high, low) = (self.width(a), self.width(b));
        if op == Op::Concat
            && high + low <= 64
            && let (Some(x), Some(y)) = (self.const_u64(a), self.const_u64(b))
        {
            self.rules.count(Rule::FoldConstants);
            return self.constant(high + low, x << low | y);
        }
        let (x, y) = (self.bits(a).expect("a constant"), self.bits(b).expect("a constant"));
        self.folded(&semantics::bin_bits(op, &x, &y))
    }

    /// If `c` then `t` else `f`.
    pub fn ite(&mut self, c: Expr, t: Expr, f: Expr) -> Expr {
        debug_assert_eq!(self.width(c), 1, "the condition of an ite is not a truth value");
        debug_assert_eq!(self.width(t), self.width(f), "the branches of an ite differ in width");
        self.simplify(|ex| rules::ite(ex, c, t, f)).unwrap_or_else(|| self.raw_ite(c, t, f))
    }

    /// Bits `lo .. lo + width`.
    pub fn extract(&mut self, a: Expr, lo: u32, width: Width) -> Expr {
        let from = self.width(a);
        debug_assert!(width > 0 && lo + width <= from, "extract of bits {lo}..{} of {from}", lo + width);
        if width == from {
            self.rules.count(Rule::ExtractAll);
            return a;
        }
        if let Some(v) = self.const_u64(a) {
            self.rules.count(Rule::FoldConstants);
            return self.constant(width, semantics::extract_u64(v, lo, width));
        }
        if let Some(v) = self.bits(a) {
            return self.folded(&semantics::extract_bits(&v, lo, width));
        }
        self.simplify(|ex| rules::extract(ex, a, lo, width)).unwrap_or_else(|| self.raw_extract(a, lo, width))
    }

    /// Zero extension to `width` bits.
    pub fn zext(&mut self, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        debug_assert!(from <= width, "zext from {from} to {width} bits");
        if from == width {
            return a;
        }
        if let Some(v) = self.bits(a) {
            return self.folded(&semantics::zext_bits(&v, width));
        }
        self.simplify(|ex| rules::zext(ex, a, width)).unwrap_or_else(|| self.raw_zext(a, width))
    }

    /// Sign extension to `width` bits.
    pub fn sext(&mut self, a: Expr, width: Width) -> Expr {
        let from = self.width(a);
        debug_assert!(from <= width, "sext from {from} to {width} bits");
        if from == width {
            return a;
        }
        if let Some(v) = self.bits(a) {
            return self.folded(&semantics::sext_bits(&v, width));
        }
        self.simplify(|ex| rules::sext(ex, a, width)).unwrap_or_else(|| self.raw_sext(a, width))
    }

    /// Interns a table whose elements all have the same width (at least one element).
    pub fn make_table(&mut self, elements: &[Expr]) -> TableId {
        assert!(!elements.is_empty(), "a lookup table without elements");
        if let Some(&id) = self.store.table_ids.get(elements) {
            return TableId(id);
        }
        let width = self.width(elements[0]);
        debug_assert!(elements.iter().all(|&e| self.width(e) == width), "a lookup table of mixed widths");
        let facts = self.table_facts(elements);
        let table = Table {
            elements: Rc::from(elements),
            width,
            all_const: elements.iter().all(|&e| self.is_const(e)),
            fp: elements.iter().any(|&e| self.has_fp(e)),
            facts,
            support: 0,
        };
        self.store.add_table(table)
    }

    /// Element `index` of the table; zero when the index is past the end. Restricts the table to the index's
    /// structural range, recognises constant indices, uniform tables, identity tables.
    pub fn lookup(&mut self, t: TableId, index: Expr) -> Expr {
        debug_assert!(self.width(index) <= 64, "a lookup index of {} bits", self.width(index));
        self.simplify(|ex| rules::lookup(ex, t, index)).unwrap_or_else(|| self.raw_lookup(t, index))
    }

    /// A floating-point operation; `width` is the width of the result.
    pub fn fp(&mut self, op: FpOp, width: Width, args: &[Expr]) -> Expr {
        debug_assert_eq!(args.len(), op.arity(), "{op:?} takes {} operands", op.arity());
        debug_assert!(args.iter().all(|&a| self.width(a) == self.width(args[0])), "{op:?} on mixed widths");
        debug_assert!(
            match op {
                FpOp::ToFloat | FpOp::FromSigned | FpOp::FromUnsigned => FpFormat::of_width(width).is_some(),
                FpOp::ToSigned | FpOp::ToUnsigned => true,
                op if op.is_predicate() => width == 1,
                _ => width == self.width(args[0]),
            },
            "{op:?} with a result of {width} bits"
        );
        if args.iter().all(|&a| self.is_const(a)) {
            let values: Vec<Bits> = args.iter().map(|&a| self.bits(a).expect("a constant")).collect();
            return self.folded(&semantics::fp_bits(op, width, &values));
        }
        self.simplify(|ex| rules::fp(ex, op, width, args)).unwrap_or_else(|| self.raw_fp(op, width, args))
    }

    // ---- nodes as they are, without simplification

    pub(crate) fn raw_un(&mut self, op: Op, a: Expr) -> Expr {
        let n = self.store.node(a);
        let mut node = Node::new(Tag::FIRST_OP + op as u8, n.width, a.0.get(), 0, 0);
        node.fp = n.fp;
        self.intern(node)
    }

    pub(crate) fn raw_bin(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        let (x, y) = (self.store.node(a), self.store.node(b));
        let width = if op == Op::Concat { x.width + y.width } else { op.result_width(x.width) };
        let mut node = Node::new(Tag::FIRST_OP + op as u8, width, a.0.get(), b.0.get(), 0);
        node.fp = x.fp | y.fp;
        self.intern(node)
    }

    pub(crate) fn raw_ite(&mut self, c: Expr, t: Expr, f: Expr) -> Expr {
        let mut node = Node::new(Tag::ITE, self.width(t), c.0.get(), t.0.get(), f.0.get());
        node.fp = self.has_fp(c) | self.has_fp(t) | self.has_fp(f);
        self.intern(node)
    }

    pub(crate) fn raw_extract(&mut self, a: Expr, lo: u32, width: Width) -> Expr {
        let mut node = Node::new(Tag::EXTRACT, width, a.0.get(), lo, 0);
        node.fp = self.has_fp(a);
        self.intern(node)
    }

    pub(crate) fn raw_zext(&mut self, a: Expr, width: Width) -> Expr {
        let mut node = Node::new(Tag::ZEXT, width, a.0.get(), 0, 0);
        node.fp = self.has_fp(a);
        self.intern(node)
    }

    pub(crate) fn raw_sext(&mut self, a: Expr, width: Width) -> Expr {
        let mut node = Node::new(Tag::SEXT, width, a.0.get(), 0, 0);
        node.fp = self.has_fp(a);
        self.intern(node)
    }

    pub(crate) fn raw_lookup(&mut self, t: TableId, index: Expr) -> Expr {
        let table = self.store.table(t);
        let mut node = Node::new(Tag::LOOKUP, table.width, t.0, index.0.get(), 0);
        node.fp = table.fp | self.has_fp(index);
        self.intern(node)
    }

    pub(crate) fn raw_fp(&mut self, op: FpOp, width: Width, args: &[Expr]) -> Expr {
        let arg = |i: usize| args.get(i).map_or(0, |e| e.0.get());
        let mut node = Node::new(Tag::FP, width, arg(0), arg(1), arg(2));
        node.sub = op.code();
        node.fp = true;
        self.intern(node)
    }

    #[inline]
    fn intern(&mut self, n: Node) -> Expr {
        match self.store.find(&n) {
            Ok(e) => e,
            Err(slot) => {
                let facts = self.facts_of(&n);
                if let Some(v) = facts.single()
                    && n.width <= 64
                    && !n.is_const()
                {
                    self.rules.count(Rule::KnownValue);
                    return self.intern(Node::word(n.width, v));
                }
                self.store.insert(slot, n, facts)
            }
        }
    }

    // ---- shorthands

    /// Equality; width 1.
    pub fn eq(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(Op::Eq, a, b)
    }

    /// Bitwise and.
    pub fn and(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(Op::And, a, b)
    }

    /// Bitwise or.
    pub fn or(&mut self, a: Expr, b: Expr) -> Expr {
        self.bin(Op::Or, a, b)
    }

    /// `hi` above `lo`.
    pub fn concat(&mut self, hi: Expr, lo: Expr) -> Expr {
        self.bin(Op::Concat, hi, lo)
    }
}
