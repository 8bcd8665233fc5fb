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
    /// By expression index: the epoch and the place of its values.
    place: Vec<(u32, Place)>,
    /// Nodes computed since the start, whatever form their values have.
    nodes: usize,
    /// Values that are the same in every lane: most nodes of a cone do not depend on what differs.
    same: Vec<u64>,
    /// Rows of the others, those in use first. What is behind them is old and never read.
    rows: Vec<u64>,
    rows_used: usize,
    /// The row of a root whose values are all the same.
    spread: Vec<u64>,
    todo: Vec<Expr>,
    /// Tables seen, and whether all their elements are constants.
    constant: FxHashMap<TableId, bool>,
}

/// Where the values of a node are: the number of a row, or with this bit the index of a single value.
type Place = u32;
const SAME: Place = 1 << 31;

/// The values of a node.
#[derive(Clone, Copy)]
enum Values<'a> {
    Same(u64),
    Row(&'a [u64]),
}

impl Values<'_> {
    fn get(&self, lane: usize) -> u64 {
        match self {
            Values::Same(v) => *v,
            Values::Row(row) => row[lane],
        }
    }
}

/// What a node comes to.
enum Computed {
    Same(u64),
    /// Nothing new: the values of another node.
    Of(Place),
    /// The row after those in use has been filled.
    Row,
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
        self.nodes = 0;
        self.same.clear();
        self.rows_used = 0;
    }

    fn known(&self, e: Expr) -> Option<Place> {
        match self.place.get(e.index()) {
            Some(&(epoch, place)) if epoch == self.epoch => Some(place),
            _ => None,
        }
    }

    /// The values of a root as a row.
    fn row(&mut self, e: Expr) -> &[u64] {
        let place = self.known(e).expect("just computed");
        if place & SAME != 0 {
            self.spread.clear();
            self.spread.resize(self.lanes, self.same[(place & !SAME) as usize]);
            return &self.spread;
        }
        let at = place as usize * self.lanes;
        &self.rows[at..at + self.lanes]
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
            if self.nodes * self.lanes > MAX_VALUES {
                return None;
            }
            self.nodes += 1;
            let place = match self.compute(ex, e, symbol) {
                Computed::Of(place) => place,
                Computed::Same(value) => {
                    self.same.push(value);
                    (self.same.len() - 1) as Place | SAME
                }
                Computed::Row => {
                    self.rows_used += 1;
                    (self.rows_used - 1) as Place
                }
            };
            if self.place.len() <= e.index() {
                self.place.resize((e.index() + 1).max(ex.len()), (0, 0));
            }
            self.place[e.index()] = (self.epoch, place);
            self.todo.pop();
        }
        Some(self.row(e))
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

    /// The values of `e` from those of its operands.
    fn compute(&mut self, ex: &Exprs, e: Expr, symbol: &dyn Fn(SymbolId, usize) -> u8) -> Computed {
        let m = mask(ex.width(e));
        let n = self.lanes;
        let start = self.rows_used * n;
        if self.rows.len() < start + n {
            self.rows.resize(start + n, 0);
        }
        let (before, out) = self.rows.split_at_mut(start);
        let out = &mut out[..n];
        let (places, same) = (&self.place, &self.same);
        let place = |x: Expr| places[x.index()].1;
        let of = |x: Expr| match place(x) {
            p if p & SAME != 0 => Values::Same(same[(p & !SAME) as usize]),
            p => Values::Row(&before[p as usize * n..(p as usize + 1) * n]),
        };
        match ex.kind(e) {
            Kind::Const => Computed::Same(ex.const_u64(e).expect("at most 64 bits wide")),
            Kind::Symbol(s) => {
                for (lane, o) in out.iter_mut().enumerate() {
                    *o = u64::from(symbol(s, lane));
                }
                if out.iter().all(|&o| o == out[0]) { Computed::Same(out[0]) } else { Computed::Row }
            }
            Kind::Un(Op::Not, a) => unary(of(a), out, |x| !x & m),
            Kind::Un(_, a) => unary(of(a), out, |x| x.wrapping_neg() & m),
            Kind::Bin(op, a, b) => binary(op, ex.width(a), ex.width(b), of(a), of(b), m, out),
            Kind::Ite(c, t, f) => match of(c) {
                Values::Same(c) => Computed::Of(place(if c != 0 { t } else { f })),
                Values::Row(c) => {
                    let (t, f) = (of(t), of(f));
                    for (lane, (o, &c)) in out.iter_mut().zip(c).enumerate() {
                        *o = if c != 0 { t.get(lane) } else { f.get(lane) };
                    }
                    Computed::Row
                }
            },
            Kind::Extract(a, lo) => unary(of(a), out, |x| x >> lo & m),
            Kind::ZExt(a) => Computed::Of(place(a)),
            Kind::SExt(a) => {
                let from = ex.width(a);
                unary(of(a), out, |x| sign_extend(x, from) as u64 & m)
            }
            Kind::Lookup(t, index) => {
                let table = ex.table(t);
                let element = |i: u64| usize::try_from(i).ok().and_then(|i| table.get(i));
                match of(index) {
                    Values::Same(i) => match element(i) {
                        Some(&x) => ex.const_u64(x).map_or_else(|| Computed::Of(place(x)), Computed::Same),
                        None => Computed::Same(0),
                    },
                    Values::Row(index) => {
                        for (lane, (o, &i)) in out.iter_mut().zip(index).enumerate() {
                            *o = match element(i) {
                                Some(&x) => ex.const_u64(x).unwrap_or_else(|| of(x).get(lane)),
                                None => 0,
                            };
                        }
                        Computed::Row
                    }
                }
            }
            Kind::Fp(..) => unreachable!("refused by `operands`"),
        }
    }
}

/// One operand to a row or a value.
#[inline(always)]
fn unary(a: Values<'_>, out: &mut [u64], f: impl Fn(u64) -> u64) -> Computed {
    match a {
        Values::Same(x) => Computed::Same(f(x)),
        Values::Row(a) => {
            out.iter_mut().zip(a).for_each(|(o, &x)| *o = f(x));
            Computed::Row
        }
    }
}

/// Two operands to a row or a value.
#[inline(always)]
fn each(a: Values<'_>, b: Values<'_>, out: &mut [u64], f: impl Fn(u64, u64) -> u64) -> Computed {
    match (a, b) {
        (Values::Same(x), Values::Same(y)) => return Computed::Same(f(x, y)),
        (Values::Same(x), Values::Row(b)) => out.iter_mut().zip(b).for_each(|(o, &y)| *o = f(x, y)),
        (Values::Row(a), Values::Same(y)) => out.iter_mut().zip(a).for_each(|(o, &x)| *o = f(x, y)),
        (Values::Row(a), Values::Row(b)) => {
            out.iter_mut().zip(a).zip(b).for_each(|((o, &x), &y)| *o = f(x, y));
        }
    }
    Computed::Row
}

/// A binary operator on operands of widths `w` and `wb`; `cut` is the mask of the result.
fn binary(op: Op, w: u32, wb: u32, a: Values<'_>, b: Values<'_>, cut: u64, out: &mut [u64]) -> Computed {
    let signed = |v: u64| sign_extend(v, w);
    let m = mask(w);
    let wide = u64::from(w);
    match op {
        Op::And => each(a, b, out, |x, y| x & y),
        Op::Or => each(a, b, out, |x, y| x | y),
        Op::Xor => each(a, b, out, |x, y| x ^ y),
        Op::Add => each(a, b, out, |x, y| x.wrapping_add(y) & cut),
        Op::Sub => each(a, b, out, |x, y| x.wrapping_sub(y) & cut),
        Op::Mul => each(a, b, out, |x, y| x.wrapping_mul(y) & cut),
        Op::UDiv => each(a, b, out, |x, y| x.checked_div(y).unwrap_or(m)),
        Op::URem => each(a, b, out, |x, y| x.checked_rem(y).unwrap_or(x)),
        Op::SDiv => each(a, b, out, |x, y| match (signed(x), signed(y)) {
            (x, 0) => {
                if x < 0 {
                    1
                } else {
                    m
                }
            }
            (x, y) => x.wrapping_div(y) as u64 & cut,
        }),
        Op::SRem => each(a, b, out, |x, y| match (signed(x), signed(y)) {
            (x, 0) => x as u64 & cut,
            (x, y) => x.wrapping_rem(y) as u64 & cut,
        }),
        Op::Shl => each(a, b, out, |x, y| if y >= wide { 0 } else { x << y & cut }),
        Op::LShr => each(a, b, out, |x, y| if y >= wide { 0 } else { x >> y }),
        Op::AShr => each(a, b, out, |x, y| (signed(x) >> y.min(63)) as u64 & cut),
        Op::Eq => each(a, b, out, |x, y| u64::from(x == y)),
        Op::Ult => each(a, b, out, |x, y| u64::from(x < y)),
        Op::Ule => each(a, b, out, |x, y| u64::from(x <= y)),
        Op::Slt => each(a, b, out, |x, y| u64::from(signed(x) < signed(y))),
        Op::Sle => each(a, b, out, |x, y| u64::from(signed(x) <= signed(y))),
        Op::Concat => each(a, b, out, |x, y| x << wb | y),
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
            let kind = (seed % 2 == 0).then_some(1);
            let rows: Vec<Vec<u8>> = (0..n)
                .map(|_| match kind.unwrap_or_else(|| r.below(3)) {
                    0 => (0..3).map(|_| [0, 1, 0x7f, 0x80, 0xff][r.below(5)]).collect(),
                    // Most layers change one byte and leave the others alike.
                    1 => vec![0x41, r.bytes(1)[0], 0x80],
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
                let cut = mask(if op == Op::Concat { 2 * width } else { op.result_width(width) });
                let mut out = vec![0; all.len()];
                binary(op, width, width, Values::Row(&a), Values::Row(&b), cut, &mut out);
                for (k, (&(x, y), &value)) in all.iter().zip(&out).enumerate() {
                    let (cx, cy) = (ex.constant(width, x), ex.constant(width, y));
                    let folded = ex.bin(op, cx, cy);
                    assert_eq!(Some(value), ex.const_u64(folded), "{op:?} {x} {y} at {width} bits");
                    // The same with one operand or both alike in every lane.
                    let mut mixed = vec![0; all.len()];
                    binary(op, width, width, Values::Same(x), Values::Row(&b), cut, &mut mixed);
                    assert_eq!(mixed[k], value, "{op:?} {x} {y} at {width} bits");
                    binary(op, width, width, Values::Row(&a), Values::Same(y), cut, &mut mixed);
                    assert_eq!(mixed[k], value, "{op:?} {x} {y} at {width} bits");
                    let both = binary(op, width, width, Values::Same(x), Values::Same(y), cut, &mut mixed);
                    assert!(
                        matches!(both, Computed::Same(v) if v == value),
                        "{op:?} {x} {y} at {width} bits"
                    );
                }
            }
        }
    }
}
