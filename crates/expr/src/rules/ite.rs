//! Rules for if-then-else. Between constants it is two-valued: operators with other constants go into it. Between
//! truth values it is logic; between 0 and 1, or 0 and -1, it is an extension of its condition.

use super::compare::fits_signed;
use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op};

pub(super) fn ite(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    first!(ex;
        IteConstCondition => ite_const_condition(c, t, f),
        IteSame => ite_same(t, f),
        IteNotCondition => ite_not_condition(c, t, f),
        IteBool => ite_bool(c, t, f),
        IteToExtension => ite_to_extension(c, t, f),
        IteNested => ite_nested(c, t, f),
        IteMerge => ite_merge(c, t, f),
        IteEqual => ite_equal(c, t, f),
        IteHoistZExt => ite_hoist_zext(c, t, f),
        IteHoistSExt => ite_hoist_sext(c, t, f),
        IteHoistConcat => ite_hoist_concat(c, t, f),
    );
    None
}

/// The condition and branches of an ite between two constants.
pub(super) fn constant_branches(ex: &Exprs, e: Expr) -> Option<(Expr, Expr, Expr)> {
    match ex.kind(e) {
        Kind::Ite(c, t, f) if ex.is_const(t) && ex.is_const(f) => Some((c, t, f)),
        _ => None,
    }
}

/// ∘ ite(c, k1, k2) → ite(c, ∘ k1, ∘ k2), for constants
pub(super) fn unary_of_constants(ex: &mut Exprs, op: Op, a: Expr) -> Option<Expr> {
    let (c, t, f) = constant_branches(ex, a)?;
    let (t, f) = if op == Op::Not { (ex.not(t), ex.not(f)) } else { (ex.neg(t), ex.neg(f)) };
    Some(ex.ite(c, t, f))
}

/// ite(c, k1, k2) ∘ k → ite(c, k1 ∘ k, k2 ∘ k), for constants; also when the other side is an ite over c too
pub(super) fn binary_of_constants(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    let (c, left, right) = match (constant_branches(ex, a), constant_branches(ex, b)) {
        (Some((c, t, f)), Some((d, u, g))) if c == d => (c, (t, f), (u, g)),
        (Some((c, t, f)), None) if ex.is_const(b) => (c, (t, f), (b, b)),
        (None, Some((d, u, g))) if ex.is_const(a) => (d, (a, a), (u, g)),
        _ => return None,
    };
    let (t, f) = (ex.bin(op, left.0, right.0), ex.bin(op, left.1, right.1));
    Some(ex.ite(c, t, f))
}

/// ite(true, t, f) → t; ite(false, t, f) → f
fn ite_const_condition(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    if ex.is_true(c) {
        return Some(t);
    }
    ex.is_false(c).then_some(f)
}

/// ite(c, x, x) → x
fn ite_same(_: &mut Exprs, t: Expr, f: Expr) -> Option<Expr> {
    (t == f).then_some(t)
}

/// ite(~c, t, f) → ite(c, f, t)
fn ite_not_condition(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let Kind::Un(Op::Not, inner) = ex.kind(c) else { return None };
    Some(ex.ite(inner, f, t))
}

/// ite(c, 1, f) → c | f; ite(c, 0, f) → ~c & f; ite(c, t, 1) → ~c | t; ite(c, t, 0) → c & t; in one bit
fn ite_bool(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    if ex.width(t) != 1 {
        return None;
    }
    if ex.is_true(t) || t == c {
        return Some(ex.or(c, f));
    }
    if ex.is_false(f) || f == c {
        return Some(ex.and(c, t));
    }
    if ex.is_false(t) {
        let other = ex.not(c);
        return Some(ex.and(other, f));
    }
    if ex.is_true(f) {
        let other = ex.not(c);
        return Some(ex.or(other, t));
    }
    None
}

/// ite(c, 1, 0) → zext(c); ite(c, -1, 0) → sext(c); exchanged: of ~c
fn ite_to_extension(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let w = ex.width(t);
    let (bit, value) = if ex.is_zero(f) {
        (c, t)
    } else if ex.is_zero(t) && (ex.is_one(f) || ex.is_ones(f)) {
        (ex.not(c), f)
    } else {
        return None;
    };
    if ex.is_one(value) {
        return Some(ex.zext(bit, w));
    }
    ex.is_ones(value).then(|| ex.sext(bit, w))
}

/// ite(c, ite(c, a, b), d) → ite(c, a, d); ite(c, a, ite(c, b, d)) → ite(c, a, d)
fn ite_nested(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let inner_t = match ex.kind(t) {
        Kind::Ite(d, a, _) if d == c => a,
        _ => t,
    };
    let inner_f = match ex.kind(f) {
        Kind::Ite(d, _, b) if d == c => b,
        _ => f,
    };
    (inner_t != t || inner_f != f).then(|| ex.ite(c, inner_t, inner_f))
}

/// ite(c, a, ite(d, a, b)) → ite(c | d, a, b); ite(c, ite(d, a, b), b) → ite(c & d, a, b); d may be negated
fn ite_merge(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    if let Kind::Ite(d, a, b) = ex.kind(f)
        && (a == t || b == t)
    {
        let (d, b) = if a == t { (d, b) } else { (ex.not(d), a) };
        let any = ex.or(c, d);
        return Some(ex.ite(any, t, b));
    }
    if let Kind::Ite(d, a, b) = ex.kind(t)
        && (a == f || b == f)
    {
        let (d, a) = if b == f { (d, a) } else { (ex.not(d), b) };
        let all = ex.and(c, d);
        return Some(ex.ite(all, a, f));
    }
    None
}

/// ite(x = y, x, y) → y
fn ite_equal(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Eq, x, y) = ex.kind(c) else { return None };
    (x == t && y == f || x == f && y == t).then_some(f)
}

/// ite(c, zext(x), zext(y)) → zext(ite(c, x, y)); one branch may be a constant that fits
fn ite_hoist_zext(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let w = ex.width(t);
    let n = match (ex.kind(t), ex.kind(f)) {
        (Kind::ZExt(x), Kind::ZExt(y)) if ex.width(x) == ex.width(y) => ex.width(x),
        (Kind::ZExt(x), Kind::Const) if constant_bits(ex, f) <= ex.width(x) => ex.width(x),
        (Kind::Const, Kind::ZExt(x)) if constant_bits(ex, t) <= ex.width(x) => ex.width(x),
        _ => return None,
    };
    let (t, f) = (ex.extract(t, 0, n), ex.extract(f, 0, n));
    let inner = ex.ite(c, t, f);
    Some(ex.zext(inner, w))
}

fn constant_bits(ex: &Exprs, c: Expr) -> u32 {
    ex.bits(c).map_or(u32::MAX, |b| b.bit_length())
}

/// ite(c, sext(x), sext(y)) → sext(ite(c, x, y)); one branch may be a constant that fits
fn ite_hoist_sext(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let w = ex.width(t);
    let fits = |e, n| ex.const_u64(e).is_some_and(|v| fits_signed(n, w, v));
    let n = match (ex.kind(t), ex.kind(f)) {
        (Kind::SExt(x), Kind::SExt(y)) if ex.width(x) == ex.width(y) => ex.width(x),
        (Kind::SExt(x), Kind::Const) if fits(f, ex.width(x)) => ex.width(x),
        (Kind::Const, Kind::SExt(x)) if fits(t, ex.width(x)) => ex.width(x),
        _ => return None,
    };
    let (t, f) = (ex.extract(t, 0, n), ex.extract(f, 0, n));
    let inner = ex.ite(c, t, f);
    Some(ex.sext(inner, w))
}

/// ite(c, concat(h, x), concat(h, y)) → concat(h, ite(c, x, y)); likewise for a common low part
fn ite_hoist_concat(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    let (Kind::Bin(Op::Concat, h, x), Kind::Bin(Op::Concat, k, y)) = (ex.kind(t), ex.kind(f)) else {
        return None;
    };
    if h == k {
        let low = ex.ite(c, x, y);
        return Some(ex.concat(h, low));
    }
    if x == y {
        let high = ex.ite(c, h, k);
        return Some(ex.concat(high, x));
    }
    None
}
