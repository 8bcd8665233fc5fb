//! Evaluation of expressions under an assignment of bytes to symbols. Iterative, with a memo per node, so that a
//! condition over terms already seen under the same assignment costs only its new nodes. What operators mean is
//! not decided here but in `semantics`.

use crate::node::{FpOp, Kind};
use crate::store::{Node, Tag};
use crate::{Bits, Expr, Exprs, Op, SymbolId, Width, semantics};
use rustc_hash::FxHashMap;

/// A total assignment: symbols beyond the end are zero. `id` identifies the content: two assignments with the
/// same id hold the same bytes, which lets an [`Evaluator`] keep values between calls.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    /// Identity of the content (0 = never cached; ids from 2^63 on are the evaluator's own).
    pub id: u64,
    /// Byte of symbol i.
    pub bytes: &'a [u8],
}

impl Assignment<'_> {
    /// The byte assigned to a symbol.
    #[inline]
    pub fn get(&self, s: SymbolId) -> u8 {
        self.bytes.get(s.0 as usize).copied().unwrap_or(0)
    }
}

/// Evaluates expressions, remembering each node's value for the assignment it was last evaluated under. Iterative:
/// deep expressions do not overflow the stack.
#[derive(Default)]
pub struct Evaluator {
    /// Per node of at most 64 bits: the id of the assignment (0 = none) and the value.
    memo: Vec<(u64, u64)>,
    /// The same for wider nodes.
    wide: FxHashMap<Expr, (u64, Bits)>,
    /// Nodes still to be evaluated.
    stack: Vec<Expr>,
    /// The manager's generation the memo belongs to.
    generation: u64,
    /// Calls with id 0 so far: each gets an id of its own.
    anonymous: u64,
}

/// An operand's value is not known yet; it has been pushed.
struct Pending;

/// One call: the evaluator with what it evaluates.
struct Run<'a> {
    memo: &'a mut Evaluator,
    ex: &'a Exprs,
    bytes: Assignment<'a>,
    id: u64,
}

impl Evaluator {
    /// The value of an expression of at most 64 bits.
    pub fn eval_u64(&mut self, ex: &Exprs, e: Expr, a: Assignment<'_>) -> u64 {
        debug_assert!(ex.width(e) <= 64, "eval_u64 of an expression of {} bits", ex.width(e));
        let mut run = self.start(ex, a);
        if let Some(v) = run.narrow(e) {
            return v;
        }
        run.complete(e);
        run.narrow(e).expect("just evaluated")
    }

    /// The value of an expression of any width.
    pub fn eval(&mut self, ex: &Exprs, e: Expr, a: Assignment<'_>) -> Bits {
        let width = ex.width(e);
        if width <= 64 {
            return Bits::from_u64(width, self.eval_u64(ex, e, a));
        }
        let mut run = self.start(ex, a);
        if run.wide(e).is_none() {
            run.complete(e);
        }
        run.wide(e).expect("just evaluated")
    }

    /// Is a truth value 1 under the assignment?
    pub fn holds(&mut self, ex: &Exprs, e: Expr, a: Assignment<'_>) -> bool {
        self.eval_u64(ex, e, a) == 1
    }

    /// Bytes of memory held by the memo.
    pub fn memory_bytes(&self) -> usize {
        self.memo.capacity() * size_of::<(u64, u64)>()
            + self.wide.capacity() * (size_of::<(Expr, (u64, Bits))>() + 32)
            + self.stack.capacity() * size_of::<Expr>()
    }

    fn start<'a>(&'a mut self, ex: &'a Exprs, bytes: Assignment<'a>) -> Run<'a> {
        if self.generation != ex.generation() {
            // Handles may mean other expressions now.
            self.memo.clear();
            self.wide.clear();
            self.generation = ex.generation();
        }
        let id = if bytes.id == 0 {
            self.anonymous += 1;
            u64::MAX - self.anonymous
        } else {
            bytes.id
        };
        Run { memo: self, ex, bytes, id }
    }
}

impl Run<'_> {
    /// The value of a narrow node if it needs no evaluation.
    #[inline]
    fn narrow(&self, e: Expr) -> Option<u64> {
        let n = self.ex.store.node(e);
        match n.tag {
            Tag::CONST => n.value(),
            Tag::SYMBOL => Some(u64::from(self.bytes.get(SymbolId(n.a)))),
            _ => match self.memo.memo.get(e.index()) {
                Some(&(id, v)) if id == self.id => Some(v),
                _ => None,
            },
        }
    }

    /// The value of a node of any width if it needs no evaluation.
    fn wide(&self, e: Expr) -> Option<Bits> {
        let n = self.ex.store.node(e);
        if n.width <= 64 {
            return self.narrow(e).map(|v| Bits::from_u64(n.width, v));
        }
        match n.tag {
            Tag::WIDE => Some(self.ex.store.wide_value(n.a).clone()),
            _ => self.memo.wide.get(&e).filter(|(id, _)| *id == self.id).map(|(_, v)| v.clone()),
        }
    }

    #[inline]
    fn narrow_operand(&mut self, e: Expr) -> Result<u64, Pending> {
        self.narrow(e).ok_or_else(|| {
            self.memo.stack.push(e);
            Pending
        })
    }

    fn wide_operand(&mut self, e: Expr) -> Result<Bits, Pending> {
        self.wide(e).ok_or_else(|| {
            self.memo.stack.push(e);
            Pending
        })
    }

    /// Evaluates `e` and whatever it needs, leaving the values in the memo.
    fn complete(&mut self, e: Expr) {
        let store = &self.ex.store;
        if self.memo.memo.len() < store.nodes.len() {
            self.memo.memo.resize(store.nodes.len(), (0, 0));
        }
        self.memo.stack.clear();
        self.memo.stack.push(e);
        while let Some(&top) = self.memo.stack.last() {
            let n = store.node(top);
            let height = self.memo.stack.len();
            let done = if n.width <= 64 {
                if self.narrow(top).is_some() {
                    true
                } else if let Ok(v) = self.narrow_value(n) {
                    self.memo.memo[top.index()] = (self.id, v);
                    true
                } else {
                    false
                }
            } else if self.wide(top).is_some() {
                true
            } else if let Ok(v) = self.wide_value(n) {
                self.memo.wide.insert(top, (self.id, v));
                true
            } else {
                false
            };
            if done {
                debug_assert_eq!(height, self.memo.stack.len());
                self.memo.stack.pop();
            }
        }
    }

    fn narrow_value(&mut self, n: &Node) -> Result<u64, Pending> {
        match n.kind() {
            Kind::Const | Kind::Symbol(_) => unreachable!("leaves need no evaluation"),
            Kind::Un(op, a) => Ok(semantics::un_u64(op, n.width, self.narrow_operand(a)?)),
            Kind::Bin(Op::Concat, a, b) => {
                let (x, y) = (self.narrow_operand(a)?, self.narrow_operand(b)?);
                Ok(semantics::concat_u64(x, y, self.ex.width(b)))
            }
            Kind::Bin(op, a, b) => {
                let width = self.ex.width(a);
                if width > 64 {
                    let (x, y) = (self.wide_operand(a)?, self.wide_operand(b)?);
                    return Ok(semantics::bin_bits(op, &x, &y).low_u64());
                }
                let (x, y) = (self.narrow_operand(a)?, self.narrow_operand(b)?);
                Ok(semantics::bin_u64(op, width, x, y))
            }
            Kind::Ite(c, t, f) => {
                let chosen = if self.narrow_operand(c)? == 1 { t } else { f };
                self.narrow_operand(chosen)
            }
            Kind::Extract(a, lo) if self.ex.width(a) > 64 => {
                Ok(semantics::extract_bits(&self.wide_operand(a)?, lo, n.width).low_u64())
            }
            Kind::Extract(a, lo) => Ok(semantics::extract_u64(self.narrow_operand(a)?, lo, n.width)),
            Kind::ZExt(a) => self.narrow_operand(a),
            Kind::SExt(a) => Ok(semantics::sext_u64(self.ex.width(a), n.width, self.narrow_operand(a)?)),
            Kind::Lookup(t, index) => {
                let i = self.narrow_operand(index)?;
                match usize::try_from(i).ok().and_then(|i| self.ex.table(t).get(i)) {
                    Some(&element) => self.narrow_operand(element),
                    None => Ok(0),
                }
            }
            Kind::Fp(op, a, b, c) => self.fp_narrow(op, n.width, [Some(a), b, c]),
        }
    }

    fn fp_narrow(&mut self, op: FpOp, width: Width, args: [Option<Expr>; 3]) -> Result<u64, Pending> {
        let arg_width = args[0].map_or(0, |a| self.ex.width(a));
        if arg_width > 64 {
            return Ok(self.fp_wide(op, width, args)?.low_u64());
        }
        let mut values = [0u64; 3];
        let mut count = 0;
        for a in args.into_iter().flatten() {
            values[count] = self.narrow_operand(a)?;
            count += 1;
        }
        Ok(semantics::fp_u64(op, width, arg_width, &values[..count]))
    }

    fn fp_wide(&mut self, op: FpOp, width: Width, args: [Option<Expr>; 3]) -> Result<Bits, Pending> {
        let mut values = Vec::with_capacity(3);
        for a in args.into_iter().flatten() {
            values.push(self.wide_operand(a)?);
        }
        Ok(semantics::fp_bits(op, width, &values))
    }

    fn wide_value(&mut self, n: &Node) -> Result<Bits, Pending> {
        match n.kind() {
            Kind::Const | Kind::Symbol(_) => unreachable!("leaves need no evaluation"),
            Kind::Un(op, a) => Ok(semantics::un_bits(op, &self.wide_operand(a)?)),
            Kind::Bin(op, a, b) => {
                let (x, y) = (self.wide_operand(a)?, self.wide_operand(b)?);
                Ok(semantics::bin_bits(op, &x, &y))
            }
            Kind::Ite(c, t, f) => {
                let chosen = if self.narrow_operand(c)? == 1 { t } else { f };
                self.wide_operand(chosen)
            }
            Kind::Extract(a, lo) => Ok(semantics::extract_bits(&self.wide_operand(a)?, lo, n.width)),
            Kind::ZExt(a) => Ok(semantics::zext_bits(&self.wide_operand(a)?, n.width)),
            Kind::SExt(a) => Ok(semantics::sext_bits(&self.wide_operand(a)?, n.width)),
            Kind::Lookup(t, index) => {
                let i = self.narrow_operand(index)?;
                match usize::try_from(i).ok().and_then(|i| self.ex.table(t).get(i)) {
                    Some(&element) => self.wide_operand(element),
                    None => Ok(Bits::from_u64(n.width, 0)),
                }
            }
            Kind::Fp(op, a, b, c) => self.fp_wide(op, n.width, [Some(a), b, c]),
        }
    }
}
