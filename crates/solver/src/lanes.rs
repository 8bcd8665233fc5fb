//! Evaluation of an expression under many assignments at once: one pass over the nodes, a row of values per node.
//!
//! It serves the layers that try candidate models: all 256 values of a byte, or a handful of recent models. It
//! gives up (`None`) on floating point, on words over 64 bits and on large cones; it must never guess. The
//! reference is `forkwise_expr::Evaluator`, against which it is tested.

use forkwise_expr::{Expr, Exprs, Kind, Op, SymbolId, TableId};
use rustc_hash::FxHashMap;

/// Values computed between [`Lanes::start`] and the point where it gives up: a solver would be faster then.
const MAX_VALUES: usize = 100_000;

/// The evaluator and its memory.
#[derive(Default)]
pub(crate) struct Lanes {
    lanes: usize,
    epoch: u32,
    /// By expression index: the epoch and the row of its values.
    row: Vec<(u32, u32)>,
    data: Vec<u64>,
    todo: Vec<Expr>,
    /// Tables seen, and whether all their elements are constants.
    constant: FxHashMap<TableId, bool>,
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn sign_extend(v: u64, width: u32) -> i64 {
    (v << (64 - width)) as i64 >> (64 - width)
}

impl Lanes {
    /// Forgets all values and sets the number of assignments.
    pub fn start(&mut self, lanes: usize) {
        self.lanes = lanes;
        self.epoch += 1;
        self.data.clear();
    }

    fn known(&self, e: Expr) -> Option<usize> {
        match self.row.get(e.index()) {
            Some(&(epoch, row)) if epoch == self.epoch => Some(row as usize),
            _ => None,
        }
    }

    fn values(&self, e: Expr) -> &[u64] {
        let row = self.known(e).expect("operands come first");
        &self.data[row * self.lanes..(row + 1) * self.lanes]
    }

    /// The values of `e`, one per assignment; `symbol` gives the byte of a symbol in a lane. The same function must
    /// be used until the next [`Lanes::start`].
    pub fn eval(&mut self, ex: &Exprs, e: Expr, symbol: &dyn Fn(SymbolId, usize) -> u8) -> Option<&[u64]> {
        self.todo.clear();
        self.todo.push(e);
        let mut missing = Vec::new();
        while let Some(&e) = self.todo.last() {
            if self.known(e).is_some() {
                self.todo.pop();
                continue;
            }
            if ex.width(e) > 64 {
                return None;
            }
            missing.clear();
            self.operands(ex, e, &mut missing)?;
            missing.retain(|&c| self.known(c).is_none());
            if !missing.is_empty() {
                self.todo.append(&mut missing);
                continue;
            }
            if self.data.len() > MAX_VALUES {
                return None;
            }
            let row = self.data.len() / self.lanes;
            self.compute(ex, e, symbol);
            if self.row.len() <= e.index() {
                self.row.resize((e.index() + 1).max(ex.len()), (0, 0));
            }
            self.row[e.index()] = (self.epoch, row as u32);
            self.todo.pop();
        }
        Some(self.values(e))
    }

    /// The operands whose rows are needed; `None` for what lanes cannot evaluate.
    fn operands(&mut self, ex: &Exprs, e: Expr, out: &mut Vec<Expr>) -> Option<()> {
        match ex.kind(e) {
            Kind::Const | Kind::Symbol(_) => {}
            Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) => out.push(a),
            Kind::Bin(_, a, b) => out.extend([a, b]),
            Kind::Ite(c, t, f) => out.extend([c, t, f]),
            Kind::Lookup(t, index) => {
                let table = ex.table(t);
                out.push(index);
                let constant =
                    self.constant.entry(t).or_insert_with(|| table.iter().all(|&x| ex.is_const(x)));
                if !*constant {
                    out.extend(table.iter().filter(|&&x| !ex.is_const(x)));
                }
            }
            Kind::Fp(..) => return None,
        }
        Some(())
    }

    /// Appends the row of `e`.
    fn compute(&mut self, ex: &Exprs, e: Expr, symbol: &dyn Fn(SymbolId, usize) -> u8) {
        let width = ex.width(e);
        let m = mask(width);
        let n = self.lanes;
        let start = self.data.len();
        self.data.resize(start + n, 0);
        let (before, out) = self.data.split_at_mut(start);
        let row = &self.row;
        let of = |x: Expr| {
            let r = row[x.index()].1 as usize;
            &before[r * n..(r + 1) * n]
        };
        match ex.kind(e) {
            Kind::Const => out.fill(ex.const_u64(e).expect("at most 64 bits wide")),
            Kind::Symbol(s) => {
                for (lane, o) in out.iter_mut().enumerate() {
                    *o = u64::from(symbol(s, lane));
                }
            }
            Kind::Un(op, a) => {
                for (o, &x) in out.iter_mut().zip(of(a)) {
                    *o = if op == Op::Not { !x & m } else { x.wrapping_neg() & m };
                }
            }
            Kind::Bin(op, a, b) => {
                binary(op, ex.width(a), ex.width(b), of(a), of(b), out);
                out.iter_mut().for_each(|o| *o &= m);
            }
            Kind::Ite(c, t, f) => {
                let (c, t, f) = (of(c), of(t), of(f));
                for k in 0..n {
                    out[k] = if c[k] != 0 { t[k] } else { f[k] };
                }
            }
            Kind::Extract(a, lo) => {
                for (o, &x) in out.iter_mut().zip(of(a)) {
                    *o = x >> lo & m;
                }
            }
            Kind::ZExt(a) => out.copy_from_slice(of(a)),
            Kind::SExt(a) => {
                let from = ex.width(a);
                for (o, &x) in out.iter_mut().zip(of(a)) {
                    *o = sign_extend(x, from) as u64 & m;
                }
            }
            Kind::Lookup(t, index) => {
                let table = ex.table(t);
                for (lane, (o, &i)) in out.iter_mut().zip(of(index)).enumerate() {
                    *o = match usize::try_from(i).ok().and_then(|i| table.get(i)) {
                        Some(&element) => ex.const_u64(element).unwrap_or_else(|| of(element)[lane]),
                        None => 0,
                    };
                }
            }
            Kind::Fp(..) => unreachable!("refused by `operands`"),
        }
    }
}

/// A binary operator on rows of operands of widths `w` and `wb`; the caller cuts the result to its width.
fn binary(op: Op, w: u32, wb: u32, a: &[u64], b: &[u64], out: &mut [u64]) {
    let mut each = |f: &dyn Fn(u64, u64) -> u64| {
        for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
            *o = f(x, y);
        }
    };
    let signed = |v: u64| sign_extend(v, w);
    let m = mask(w);
    let wide = u64::from(w);
    match op {
        Op::And => each(&|x, y| x & y),
        Op::Or => each(&|x, y| x | y),
        Op::Xor => each(&|x, y| x ^ y),
        Op::Add => each(&|x, y| x.wrapping_add(y)),
        Op::Sub => each(&|x, y| x.wrapping_sub(y)),
        Op::Mul => each(&|x, y| x.wrapping_mul(y)),
        Op::UDiv => each(&|x, y| x.checked_div(y).unwrap_or(m)),
        Op::URem => each(&|x, y| x.checked_rem(y).unwrap_or(x)),
        Op::SDiv => each(&|x, y| match (signed(x), signed(y)) {
            (x, 0) => {
                if x < 0 {
                    1
                } else {
                    m
                }
            }
            (x, y) => x.wrapping_div(y) as u64,
        }),
        Op::SRem => each(&|x, y| match (signed(x), signed(y)) {
            (x, 0) => x as u64,
            (x, y) => x.wrapping_rem(y) as u64,
        }),
        Op::Shl => each(&|x, y| if y >= wide { 0 } else { x << y }),
        Op::LShr => each(&|x, y| if y >= wide { 0 } else { x >> y }),
        Op::AShr => each(&|x, y| (signed(x) >> y.min(63)) as u64),
        Op::Eq => each(&|x, y| u64::from(x == y)),
        Op::Ult => each(&|x, y| u64::from(x < y)),
        Op::Ule => each(&|x, y| u64::from(x <= y)),
        Op::Slt => each(&|x, y| u64::from(signed(x) < signed(y))),
        Op::Sle => each(&|x, y| u64::from(signed(x) <= signed(y))),
        Op::Concat => each(&|x, y| x << wb | y),
        Op::Not | Op::Neg => unreachable!("{op:?} is not binary"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{Random, expression};
    use forkwise_expr::{Assignment, Evaluator};

    /// Random cones and assignments; operands at the ends of their ranges included.
    #[test]
    fn agrees_with_the_evaluator() {
        let mut compared = 0;
        for seed in 0..3000 {
            let mut r = Random::new(seed);
            let mut ex = Exprs::new();
            let steps = 1 + r.below(5);
            let e = expression(&mut ex, &mut r, 3, 64, steps);
            let n = 1 + r.below(20);
            let rows: Vec<Vec<u8>> = (0..n)
                .map(|_| match r.below(3) {
                    0 => (0..3).map(|_| [0, 1, 0x7f, 0x80, 0xff][r.below(5)]).collect(),
                    _ => r.bytes(3),
                })
                .collect();
            let mut lanes = Lanes::default();
            lanes.start(n);
            let Some(values) = lanes.eval(&ex, e, &|s, lane| rows[lane][s.0 as usize]) else { continue };
            for (row, &value) in rows.iter().zip(values) {
                let expected = Evaluator::default().eval_u64(&ex, e, Assignment { id: 0, bytes: row });
                assert_eq!(value, expected, "{} under {row:?}", ex.display(e));
                compared += 1;
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    /// Every operator on every pair of small operands.
    #[test]
    fn operators_agree_with_folding() {
        for width in [1u32, 3, 4] {
            let all: Vec<(u64, u64)> =
                (0..1 << width).flat_map(|x| (0..1u64 << width).map(move |y| (x, y))).collect();
            let (a, b): (Vec<u64>, Vec<u64>) = all.iter().copied().unzip();
            for op in Op::ALL.into_iter().filter(|op| !op.is_unary()) {
                let mut ex = Exprs::new();
                let mut out = vec![0; all.len()];
                binary(op, width, width, &a, &b, &mut out);
                for (&(x, y), &value) in all.iter().zip(&out) {
                    let (cx, cy) = (ex.constant(width, x), ex.constant(width, y));
                    let folded = ex.bin(op, cx, cy);
                    let m = mask(ex.width(folded));
                    assert_eq!(Some(value & m), ex.const_u64(folded), "{op:?} {x} {y} at {width} bits");
                }
            }
        }
    }
}
