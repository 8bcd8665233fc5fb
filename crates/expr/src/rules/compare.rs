//! Rules for equality. Against a constant, equality sees through every invertible operator and falls apart into
//! equalities of parts, so that what remains is about as few input bytes as possible. Order is in `compare_order`.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op};
use crate::semantics::{mask, sext_u64};

pub(super) fn eq(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if !ex.is_const(b) {
        first!(ex;
            EqSelf => eq_self(a, b),
            EqNotNot => eq_un_un(Op::Not, a, b),
            EqNegNeg => eq_un_un(Op::Neg, a, b),
            EqNotBool => eq_not_bool(a, b),
            EqAddCommon => eq_add_common(a, b),
            EqExtended => eq_extended(a, b),
            EqSplit => eq_split(a, b),
        );
        return None;
    }
    first!(ex; EqBool => eq_bool(a, b));
    match ex.kind(a) {
        Kind::ZExt(x) => {
            first!(ex; EqZExt => eq_zext(x, b));
        }
        Kind::SExt(x) => {
            first!(ex; EqSExt => eq_sext(x, b));
        }
        Kind::Bin(Op::Concat, h, l) => {
            first!(ex; EqConcat => eq_concat(h, l, b));
        }
        Kind::Bin(Op::Add, x, y) => {
            first!(ex; EqAddConst => eq_add_const(x, y, b));
        }
        Kind::Bin(Op::Sub, x, y) => {
            first!(ex; EqSubConst => eq_sub_const(x, y, b), EqSubZero => eq_sub_zero(x, y, b));
        }
        Kind::Bin(Op::Xor, x, y) => {
            first!(ex; EqXorConst => eq_xor_const(x, y, b), EqXorZero => eq_xor_zero(x, y, b));
        }
        Kind::Bin(Op::Or, x, y) => {
            first!(ex; EqOrZero => eq_or_zero(x, y, b));
        }
        Kind::Bin(Op::And, x, y) => {
            first!(ex; EqAndOnes => eq_and_ones(x, y, b));
        }
        Kind::Bin(Op::Mul, x, y) => {
            first!(ex; EqMulOdd => eq_mul_odd(x, y, b));
        }
        Kind::Bin(Op::UDiv, x, y) => {
            first!(ex; EqUDiv => eq_udiv(x, y, b));
        }
        Kind::Un(Op::Not, x) => {
            first!(ex; EqNotConst => eq_un_const(Op::Not, x, b));
        }
        Kind::Un(_, x) => {
            first!(ex; EqNegConst => eq_un_const(Op::Neg, x, b));
        }
        Kind::Ite(c, t, f) => {
            first!(ex; EqIteBranch => eq_ite_branch(c, t, f, b));
        }
        Kind::Lookup(..) => {
            first!(ex; LookupMap => map_lookup(a, b));
        }
        _ => {}
    }
    None
}

fn map_lookup(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    super::lookup::map(ex, Op::Eq, a, b)
}

/// x = x → true
fn eq_self(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then(|| ex.bool(true))
}

/// b = 1 → b; b = 0 → ~b, in one bit
fn eq_bool(ex: &mut Exprs, a: Expr, c: Expr) -> Option<Expr> {
    if ex.is_true(c) {
        return Some(a);
    }
    ex.is_false(c).then(|| ex.not(a))
}

/// zext(x) = c → x = low bits of c, or false when the rest of c is not zero
fn eq_zext(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let (n, w) = (ex.width(x), ex.width(c));
    let rest = ex.extract(c, n, w - n);
    if !ex.is_zero(rest) {
        return Some(ex.bool(false));
    }
    let low = ex.extract(c, 0, n);
    Some(ex.eq(x, low))
}

/// sext(x) = c → x = low bits of c, or false when c is no sign extension of them
fn eq_sext(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let low = ex.extract(c, 0, ex.width(x));
    if ex.sext(low, ex.width(c)) != c {
        return Some(ex.bool(false));
    }
    Some(ex.eq(x, low))
}

/// concat(h, l) = c → h = high part of c & l = low part of c
fn eq_concat(ex: &mut Exprs, h: Expr, l: Expr, c: Expr) -> Option<Expr> {
    let (wh, wl) = (ex.width(h), ex.width(l));
    let (ch, cl) = (ex.extract(c, wl, wh), ex.extract(c, 0, wl));
    let high = ex.eq(h, ch);
    if ex.is_false(high) {
        return Some(high);
    }
    let low = ex.eq(l, cl);
    Some(ex.and(high, low))
}

/// x + c1 = c2 → x = c2 - c1
fn eq_add_const(ex: &mut Exprs, x: Expr, c1: Expr, c2: Expr) -> Option<Expr> {
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Sub, c2, c1);
    Some(ex.eq(x, c))
}

/// c1 - x = c2 → x = c1 - c2
fn eq_sub_const(ex: &mut Exprs, c1: Expr, x: Expr, c2: Expr) -> Option<Expr> {
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Sub, c1, c2);
    Some(ex.eq(x, c))
}

/// x - y = 0 → x = y
fn eq_sub_zero(ex: &mut Exprs, x: Expr, y: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then(|| ex.eq(x, y))
}

/// x ^ c1 = c2 → x = c1 ^ c2
fn eq_xor_const(ex: &mut Exprs, x: Expr, c1: Expr, c2: Expr) -> Option<Expr> {
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Xor, c1, c2);
    Some(ex.eq(x, c))
}

/// x ^ y = 0 → x = y
fn eq_xor_zero(ex: &mut Exprs, x: Expr, y: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then(|| ex.eq(x, y))
}

/// x | y = 0 → x = 0 & y = 0
fn eq_or_zero(ex: &mut Exprs, x: Expr, y: Expr, c: Expr) -> Option<Expr> {
    if !ex.is_zero(c) {
        return None;
    }
    let (p, q) = (ex.eq(x, c), ex.eq(y, c));
    Some(ex.and(p, q))
}

/// x & y = -1 → x = -1 & y = -1
fn eq_and_ones(ex: &mut Exprs, x: Expr, y: Expr, c: Expr) -> Option<Expr> {
    if !ex.is_ones(c) {
        return None;
    }
    let (p, q) = (ex.eq(x, c), ex.eq(y, c));
    Some(ex.and(p, q))
}

/// x * c1 = c2 → x = c2 * (inverse of c1), c1 odd
fn eq_mul_odd(ex: &mut Exprs, x: Expr, c1: Expr, c2: Expr) -> Option<Expr> {
    let (factor, w) = (ex.const_u64(c1)?, ex.width(x));
    if factor & 1 == 0 {
        return None;
    }
    // Newton's iteration doubles the number of correct low bits; three are correct to begin with.
    let mut inverse = factor;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
    }
    let inverse = ex.constant(w, inverse);
    let c = ex.bin(Op::Mul, c2, inverse);
    Some(ex.eq(x, c))
}

/// x udiv c1 = c2 → c1 * c2 ≤ x & x ≤ c1 * c2 + (c1 - 1)
fn eq_udiv(ex: &mut Exprs, x: Expr, c1: Expr, c2: Expr) -> Option<Expr> {
    let (divisor, quotient, w) = (ex.const_u64(c1)?, ex.const_u64(c2)?, ex.width(x));
    if divisor == 0 {
        return None;
    }
    let first = u128::from(divisor) * u128::from(quotient);
    if first > u128::from(mask(w)) {
        return Some(ex.bool(false));
    }
    let last = (first + u128::from(divisor) - 1).min(u128::from(mask(w))) as u64;
    let (first, last) = (ex.constant(w, first as u64), ex.constant(w, last));
    let (above, below) = (ex.bin(Op::Ule, first, x), ex.bin(Op::Ule, x, last));
    Some(ex.and(above, below))
}

/// ~x = c → x = ~c; -x = c → x = -c
fn eq_un_const(ex: &mut Exprs, op: Op, x: Expr, c: Expr) -> Option<Expr> {
    let c = if op == Op::Not { ex.not(c) } else { ex.neg(c) };
    Some(ex.eq(x, c))
}

/// ite(p, c, y) = c → p | y = c; ite(p, c1, y) = c → ~p & y = c; likewise for the other branch
fn eq_ite_branch(ex: &mut Exprs, p: Expr, t: Expr, f: Expr, c: Expr) -> Option<Expr> {
    if ex.is_const(t) {
        let rest = ex.eq(f, c);
        if t == c {
            return Some(ex.or(p, rest));
        }
        let other = ex.not(p);
        return Some(ex.and(other, rest));
    }
    if ex.is_const(f) {
        let rest = ex.eq(t, c);
        if f == c {
            let other = ex.not(p);
            return Some(ex.or(other, rest));
        }
        return Some(ex.and(p, rest));
    }
    None
}

/// ~x = ~y → x = y; -x = -y → x = y
fn eq_un_un(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    match (ex.kind(a), ex.kind(b)) {
        (Kind::Un(o, x), Kind::Un(p, y)) if o == op && p == op => Some(ex.eq(x, y)),
        _ => None,
    }
}

/// ~x = y → ~(x = y), in one bit
fn eq_not_bool(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) != 1 {
        return None;
    }
    for (negated, y) in [(a, b), (b, a)] {
        if let Kind::Un(Op::Not, x) = ex.kind(negated) {
            let same = ex.eq(x, y);
            return Some(ex.not(same));
        }
    }
    None
}

/// x + y = x → y = 0; x + y = x + z → y = z; x + c1 = y + c2 → x = y + (c2 - c1)
fn eq_add_common(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (sum, x) in [(a, b), (b, a)] {
        let Kind::Bin(Op::Add, p, q) = ex.kind(sum) else { continue };
        if p == x || q == x {
            let zero = ex.zero(ex.width(x));
            let rest = if p == x { q } else { p };
            return Some(ex.eq(rest, zero));
        }
    }
    let (Kind::Bin(Op::Add, p, q), Kind::Bin(Op::Add, r, s)) = (ex.kind(a), ex.kind(b)) else { return None };
    for (common, y, other, z) in [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)] {
        if common == other {
            return Some(ex.eq(y, z));
        }
    }
    if ex.is_const(q) && ex.is_const(s) {
        let c = ex.bin(Op::Sub, s, q);
        let right = ex.bin(Op::Add, r, c);
        return Some(ex.eq(p, right));
    }
    None
}

/// zext(x) = zext(y) → x = y, the narrower one extended; sext(x) = sext(y) likewise
fn eq_extended(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = super::compare_order::strip_extensions(ex, a, b)?;
    Some(ex.eq(x, y))
}

/// concat(p, q) = concat(r, s) → p = r & q = s, cut at the same place; concat(p, q) = zext(x) → cut at x
fn eq_split(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let at = match (ex.kind(a), ex.kind(b)) {
        (Kind::Bin(Op::Concat, _, q), Kind::Bin(Op::Concat, _, s)) if ex.width(q) == ex.width(s) => {
            ex.width(q)
        }
        (Kind::Bin(Op::Concat, ..), Kind::ZExt(x)) | (Kind::ZExt(x), Kind::Bin(Op::Concat, ..)) => {
            ex.width(x)
        }
        _ => return None,
    };
    let w = ex.width(a);
    let (ah, al) = (ex.extract(a, at, w - at), ex.extract(a, 0, at));
    let (bh, bl) = (ex.extract(b, at, w - at), ex.extract(b, 0, at));
    let (high, low) = (ex.eq(ah, bh), ex.eq(al, bl));
    Some(ex.and(high, low))
}

/// Does the constant fit `n` bits as a two's complement number of `w` bits?
pub(super) fn fits_signed(n: u32, w: u32, v: u64) -> bool {
    sext_u64(n, w, v & mask(n)) == v
}
