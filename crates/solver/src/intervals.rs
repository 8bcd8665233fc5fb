//! Unsigned intervals of expressions under a path condition, by one pass from the leaves.
//!
//! What constraints say directly (`e < 10`, `e == 3`) and the domains of single bytes bound the leaves and any inner
//! node; the rest is interval arithmetic. Intervals are over-approximations: only "the condition is always
//! false" and "always true" are conclusions. No search, no fixpoint.

use crate::domains::{ByteSet, Domains};
use forkwise_expr::{Expr, Exprs, Kind, Op, SymbolId};
use rustc_hash::FxHashMap;

/// An inclusive unsigned interval.
type Interval = (u64, u64);

/// What is known under one slice of a path condition.
#[derive(Default)]
pub(crate) struct Intervals {
    facts: FxHashMap<Expr, Interval>,
    bytes: FxHashMap<SymbolId, ByteSet>,
    memo: FxHashMap<Expr, Interval>,
    todo: Vec<Expr>,
}

/// Nodes looked at in one query.
const MAX_NODES: usize = 2000;
/// Constraints read for facts in one query.
const MAX_CONSTRAINTS: usize = 128;

fn top(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

impl Intervals {
    /// The truth value of the condition where the constraints hold, if intervals tell it.
    pub fn decide(
        &mut self,
        ex: &mut Exprs,
        domains: &mut Domains,
        constraints: &[Expr],
        condition: Expr,
    ) -> Option<bool> {
        let (low, high) = self.bounds(ex, domains, constraints, condition)?;
        (low == high).then_some(low == 1)
    }

    /// An interval of `e` where the constraints hold; `None` when the cone is too large.
    pub fn bounds(
        &mut self,
        ex: &mut Exprs,
        domains: &mut Domains,
        constraints: &[Expr],
        e: Expr,
    ) -> Option<Interval> {
        self.facts.clear();
        self.bytes.clear();
        self.memo.clear();
        for &c in constraints.iter().take(MAX_CONSTRAINTS) {
            self.learn(ex, c, true);
            if let [s] = *ex.support(c)
                && let Some(set) = domains.of(ex, c)
            {
                let known = self.bytes.entry(s).or_insert(ByteSet::ALL);
                *known = known.and(set);
            }
        }
        self.of(ex, e)
    }

    /// `e` lies in an interval; so do the parts it is put together from.
    fn bound(&mut self, ex: &Exprs, e: Expr, low: u64, high: u64) {
        let mut todo = vec![(e, low, high)];
        while let Some((e, low, high)) = todo.pop() {
            let width = ex.width(e);
            if width > 64 {
                continue;
            }
            let known = self.facts.get(&e).copied().unwrap_or((0, top(width)));
            let (low, high) = (known.0.max(low), known.1.min(high));
            // Contradicting facts cannot be (the set is satisfiable); keep the interval well-formed anyway.
            if low > high {
                continue;
            }
            self.facts.insert(e, (low, high));
            match ex.kind(e) {
                Kind::ZExt(inner) => todo.push((inner, low, high.min(top(ex.width(inner))))),
                Kind::SExt(inner) if high <= top(ex.width(inner)) >> 1 => todo.push((inner, low, high)),
                Kind::Bin(Op::Concat, a, b) => {
                    let bits = ex.width(b);
                    todo.push((a, low >> bits, high >> bits));
                    if low >> bits == high >> bits {
                        todo.push((b, low & top(bits), high & top(bits)));
                    }
                }
                Kind::Bin(Op::Add, a, b) => {
                    // a + k in an interval: a in the interval moved by -k, unless that wraps around.
                    let (a, k) = match (ex.const_u64(a), ex.const_u64(b)) {
                        (Some(k), None) => (b, k),
                        (None, Some(k)) => (a, k),
                        _ => continue,
                    };
                    let moved = (low.wrapping_sub(k) & top(width), high.wrapping_sub(k) & top(width));
                    if moved.0 <= moved.1 {
                        todo.push((a, moved.0, moved.1));
                    }
                }
                _ => {}
            }
        }
    }

    /// Facts from a constraint (or its negation) that compares with a constant.
    fn learn(&mut self, ex: &Exprs, c: Expr, holds: bool) {
        self.facts.insert(c, (u64::from(holds), u64::from(holds)));
        match ex.kind(c) {
            // Negations come singly: a double one is rewritten.
            Kind::Un(Op::Not, inner) if !matches!(ex.kind(inner), Kind::Un(..)) => {
                self.learn(ex, inner, !holds);
            }
            Kind::Bin(op @ (Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle), a, b) => {
                let width = ex.width(a);
                if width > 64 {
                    return;
                }
                let max = top(width);
                let half = max >> 1;
                match (ex.const_u64(a), ex.const_u64(b), op, holds) {
                    (Some(k), None, Op::Eq, true) => self.bound(ex, b, k, k),
                    (None, Some(k), Op::Eq, true) => self.bound(ex, a, k, k),
                    // Of a ≠ k only the ends of the range are of use.
                    (Some(k), None, Op::Eq, false) => self.differs(ex, b, k),
                    (None, Some(k), Op::Eq, false) => self.differs(ex, a, k),
                    // b > k, b ≥ k, a < k, a ≤ k; their negations exchange sides.
                    (Some(k), None, Op::Ult, true) | (Some(k), None, Op::Ule, true) => {
                        self.bound(ex, b, k.saturating_add(u64::from(op == Op::Ult)).min(max), max);
                    }
                    (None, Some(k), Op::Ult, true) => self.bound(ex, a, 0, k.saturating_sub(1)),
                    (None, Some(k), Op::Ule, true) => self.bound(ex, a, 0, k),
                    (Some(k), None, Op::Ult, false) => self.bound(ex, b, 0, k),
                    (Some(k), None, Op::Ule, false) => self.bound(ex, b, 0, k.saturating_sub(1)),
                    (None, Some(k), Op::Ult, false) => self.bound(ex, a, k, max),
                    (None, Some(k), Op::Ule, false) => self.bound(ex, a, k.saturating_add(1).min(max), max),
                    // Signed: above a bound of at least -1 means non-negative, hence an unsigned range.
                    (Some(k), None, Op::Slt, true) | (None, Some(k), Op::Sle, false) => {
                        let e = if holds { b } else { a };
                        if k < half || k == max {
                            self.bound(ex, e, k.wrapping_add(1) & max, half);
                        }
                    }
                    (Some(k), None, Op::Sle, true) | (None, Some(k), Op::Slt, false) => {
                        let e = if holds { b } else { a };
                        if k <= half {
                            self.bound(ex, e, k, half);
                        }
                    }
                    // Below a negative bound: negative, hence the upper half.
                    (None, Some(k), Op::Slt, true) | (Some(k), None, Op::Sle, false) => {
                        let e = if holds { a } else { b };
                        if k > half + 1 {
                            self.bound(ex, e, half + 1, k - 1);
                        } else if k == 0 {
                            self.bound(ex, e, half + 1, max);
                        }
                    }
                    (None, Some(k), Op::Sle, true) | (Some(k), None, Op::Slt, false) => {
                        let e = if holds { a } else { b };
                        if k > half {
                            self.bound(ex, e, half + 1, k);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn differs(&mut self, ex: &Exprs, e: Expr, k: u64) {
        let max = top(ex.width(e));
        if k == 0 && max > 0 {
            self.bound(ex, e, 1, max);
        } else if k == max && max > 0 {
            self.bound(ex, e, 0, max - 1);
        }
    }

    /// The interval of a node; `None` when the cone is too large.
    fn of(&mut self, ex: &mut Exprs, root: Expr) -> Option<Interval> {
        self.todo.clear();
        self.todo.push(root);
        let mut missing = Vec::new();
        let mut nodes = 0;
        while let Some(&e) = self.todo.last() {
            if self.memo.contains_key(&e) {
                self.todo.pop();
                continue;
            }
            missing.clear();
            operands(ex, e, &mut missing);
            missing.retain(|c| !self.memo.contains_key(c));
            if !missing.is_empty() {
                self.todo.append(&mut missing);
                continue;
            }
            nodes += 1;
            if nodes > MAX_NODES {
                return None;
            }
            let mut interval = self.step(ex, e);
            if let Kind::Symbol(s) = ex.kind(e) {
                interval = meet(interval, self.byte_range(s));
            }
            if ex.width(e) <= 64 {
                interval = meet(interval, ex.range(e));
            }
            if let Some(&fact) = self.facts.get(&e) {
                interval = meet(interval, fact);
            }
            self.memo.insert(e, interval);
            self.todo.pop();
        }
        self.memo.get(&root).copied()
    }

    fn byte_range(&self, s: SymbolId) -> Interval {
        match self.bytes.get(&s).map(|set| (set.min(), set.max())) {
            Some((Some(l), Some(h))) => (u64::from(l), u64::from(h)),
            _ => (0, 255),
        }
    }

    /// The interval of a node from those of its operands.
    fn step(&self, ex: &Exprs, e: Expr) -> Interval {
        let width = ex.width(e);
        if width > 64 {
            return (0, u64::MAX);
        }
        let max = top(width);
        let of = |x: Expr| self.memo[&x];
        match ex.kind(e) {
            Kind::Const => {
                let k = ex.const_u64(e).expect("at most 64 bits wide");
                (k, k)
            }
            Kind::Symbol(_) | Kind::Fp(..) => (0, max),
            Kind::Un(Op::Not, a) => {
                let (l, h) = of(a);
                (max - h, max - l)
            }
            Kind::Un(_, a) => match of(a) {
                (0, 0) => (0, 0),
                (0, _) => (0, max),
                (l, h) => ((max - h).wrapping_add(1) & max, (max - l).wrapping_add(1) & max),
            },
            Kind::Bin(op, a, b) => {
                if ex.width(a) > 64 || ex.width(b) > 64 {
                    return (0, max);
                }
                binary(op, ex.width(a), ex.width(b), max, of(a), of(b))
            }
            Kind::Ite(c, t, f) => match of(c) {
                (1, _) => of(t),
                (_, 0) => of(f),
                _ => (of(t).0.min(of(f).0), of(t).1.max(of(f).1)),
            },
            Kind::Extract(a, lo) => {
                if ex.width(a) > 64 {
                    return (0, max);
                }
                let (l, h) = (of(a).0 >> lo, of(a).1 >> lo);
                // The same high part throughout: the low part keeps its order.
                if l & !max == h & !max { (l & max, h & max) } else { (0, max) }
            }
            Kind::ZExt(a) => of(a),
            Kind::SExt(a) => {
                let half = top(ex.width(a)) >> 1;
                let (l, h) = of(a);
                let ones = max & !top(ex.width(a));
                if h <= half {
                    (l, h)
                } else if l > half {
                    (l | ones, h | ones)
                } else {
                    (0, max)
                }
            }
            Kind::Lookup(t, index) => {
                let (l, h) = of(index);
                let table = ex.table(t);
                let elements = usize::try_from(l).ok().and_then(|l| {
                    let h = usize::try_from(h).ok()?;
                    (h < table.len() && h - l < 256).then(|| &table[l..=h])
                });
                let bounds = |x: &Expr| ex.const_u64(*x);
                match elements {
                    Some(range) if ex.width(index) <= 64 && range.iter().all(|x| bounds(x).is_some()) => (
                        range.iter().filter_map(bounds).min().unwrap_or(0),
                        range.iter().filter_map(bounds).max().unwrap_or(max),
                    ),
                    _ => (0, max),
                }
            }
        }
    }
}

fn meet(a: Interval, b: Interval) -> Interval {
    let (l, h) = (a.0.max(b.0), a.1.min(b.1));
    // Empty would mean an unsatisfiable path condition, which the caller excludes.
    if l <= h { (l, h) } else { a }
}

/// Operands whose intervals are used.
fn operands(ex: &Exprs, e: Expr, out: &mut Vec<Expr>) {
    if ex.width(e) > 64 {
        return;
    }
    match ex.kind(e) {
        Kind::Const | Kind::Symbol(_) | Kind::Fp(..) => {}
        Kind::Un(_, a) | Kind::ZExt(a) | Kind::SExt(a) | Kind::Extract(a, _) => out.push(a),
        Kind::Bin(_, a, b) => out.extend([a, b]),
        Kind::Ite(c, t, f) => out.extend([c, t, f]),
        Kind::Lookup(_, index) => out.push(index),
    }
}

fn truth(always: bool, never: bool) -> Interval {
    (u64::from(always), u64::from(!never))
}

/// Interval arithmetic; `max` is the greatest value of the result's width.
fn binary(op: Op, width: u32, width_b: u32, max: u64, (al, ah): Interval, (bl, bh): Interval) -> Interval {
    let full = (0, max);
    let half = top(width) >> 1;
    // The order of signed numbers is that of the unsigned ones with the sign bit flipped, if no interval crosses.
    let bias = |(l, h): Interval| {
        let f = |v: u64| v ^ (half + 1);
        if (l <= half) == (h <= half) { (f(l), f(h)) } else { (0, top(width)) }
    };
    match op {
        Op::And => (0, ah.min(bh)),
        Op::Or => (al.max(bl), fill(ah | bh).min(max)),
        Op::Xor => (0, fill(ah | bh).min(max)),
        Op::Add => match (al.checked_add(bl), ah.checked_add(bh)) {
            (Some(l), Some(h)) if h <= max => (l, h),
            (Some(l), Some(h)) if l > max && h - (max + 1) <= max => (l - (max + 1), h - (max + 1)),
            _ => full,
        },
        Op::Sub if al >= bh => (al - bh, ah - bl),
        Op::Sub if ah < bl => ((al.wrapping_sub(bh)) & max, (ah.wrapping_sub(bl)) & max),
        Op::Mul => match ah.checked_mul(bh) {
            Some(h) if h <= max => (al * bl, h),
            _ => full,
        },
        Op::UDiv if bl > 0 => (al / bh, ah / bl),
        Op::URem if bl > 0 => {
            if ah < bl {
                (al, ah)
            } else {
                (0, ah.min(bh - 1))
            }
        }
        Op::URem => (0, ah),
        Op::Shl if bh < u64::from(width) && ah <= max >> bh => (al << bl, ah << bh),
        Op::LShr => {
            let shifted = |v: u64, by: u64| if by >= u64::from(width) { 0 } else { v >> by };
            (shifted(al, bh), shifted(ah, bl))
        }
        Op::AShr if ah <= half => {
            let shifted = |v: u64, by: u64| if by >= u64::from(width) { 0 } else { v >> by };
            (shifted(al, bh), shifted(ah, bl))
        }
        Op::Eq => truth(al == ah && (al, ah) == (bl, bh), ah < bl || bh < al),
        Op::Ult => truth(ah < bl, al >= bh),
        Op::Ule => truth(ah <= bl, al > bh),
        Op::Slt | Op::Sle => {
            let ((al, ah), (bl, bh)) = (bias((al, ah)), bias((bl, bh)));
            if op == Op::Slt { truth(ah < bl, al >= bh) } else { truth(ah <= bl, al > bh) }
        }
        Op::Concat => (al << width_b | bl, ah << width_b | bh),
        _ => full,
    }
}

/// All ones up to the highest one.
fn fill(v: u64) -> u64 {
    if v == 0 { 0 } else { u64::MAX >> v.leading_zeros() }
}

#[cfg(test)]
mod tests;
