//! Rules for `<` and `≤`, unsigned and signed. Signed comparisons of values that cannot be negative become unsigned
//! ones, extended values are compared before extension, and comparisons with a constant are strict.

use super::compare::fits_signed;
use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op};
use crate::semantics::{mask, to_signed};

pub(super) fn unsigned(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex; OrderSelf => order_self(op, a, b), OrderOneBit => order_one_bit(op, a, b));
    if ex.width(a) <= 64 && (ex.is_const(a) || ex.is_const(b)) {
        first!(ex; UleConst => ule_const(op, a, b));
        if op == Op::Ult {
            first!(ex;
                UltExtreme => ult_extreme(a, b),
                UltZExtConst => ult_zext_const(a, b),
                UltSExtConst => ult_sext_const(a, b),
                UltConcatConst => ult_concat_const(a, b),
                UltAddConst => ult_add_const(a, b),
                UltUDiv => ult_udiv(a, b),
            );
        }
        first!(ex; LookupMap => map_lookup(op, a, b));
    }
    first!(ex; UltExtended => extended(op, a, b), UltCommonHigh => common_high(op, a, b));
    None
}

pub(super) fn signed(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex;
        OrderSelf => order_self(op, a, b),
        OrderOneBit => order_one_bit(op, a, b),
        SltNonNegative => slt_non_negative(op, a, b),
        SltRange => slt_range(op, a, b),
    );
    if ex.width(a) <= 64 && (ex.is_const(a) || ex.is_const(b)) {
        first!(ex; SleConst => sle_const(op, a, b));
        if op == Op::Slt {
            first!(ex;
                SltExtreme => slt_extreme(a, b),
                SltSExtConst => slt_sext_const(a, b),
                SltConcatZero => slt_concat_zero(a, b),
                SltAddConst => slt_add_const(a, b),
            );
        }
        first!(ex; LookupMap => map_lookup(op, a, b));
    }
    first!(ex; SltExtended => signed_extended(op, a, b));
    None
}

fn map_lookup(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    super::lookup::map(ex, op, a, b)
}

/// x < x → false; x ≤ x → true
fn order_self(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then(|| ex.bool(matches!(op, Op::Ule | Op::Sle)))
}

/// a < b → ~a & b; a ≤ b → ~a | b; signed: the operands exchanged; in one bit
fn order_one_bit(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) != 1 {
        return None;
    }
    // A set bit is -1 when signed, so the order is the other way round.
    let (small, large) = if matches!(op, Op::Ult | Op::Ule) { (a, b) } else { (b, a) };
    let small = ex.not(small);
    Some(if matches!(op, Op::Ult | Op::Slt) { ex.and(small, large) } else { ex.or(small, large) })
}

/// x ≤ c → x < c + 1; c ≤ x → c - 1 < x; true at the extremes
fn ule_const(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    if op != Op::Ule {
        return None;
    }
    let w = ex.width(a);
    if let Some(c) = ex.const_u64(b) {
        if c == mask(w) {
            return Some(ex.bool(true));
        }
        let next = ex.constant(w, c + 1);
        return Some(ex.bin(Op::Ult, a, next));
    }
    let c = ex.const_u64(a)?;
    if c == 0 {
        return Some(ex.bool(true));
    }
    let previous = ex.constant(w, c - 1);
    Some(ex.bin(Op::Ult, previous, b))
}

/// x < 1 → x = 0; 0 < x → x ≠ 0; x < max → x ≠ max; max - 1 < x → x = max; x < 0, max < x → false
fn ult_extreme(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let max = mask(ex.width(a));
    let (x, v, equal) = match (ex.const_u64(a), ex.const_u64(b)) {
        (_, Some(0)) => return Some(ex.bool(false)),
        (_, Some(1)) => (a, 0, true),
        (_, Some(c)) if c == max => (a, max, false),
        (Some(0), _) => (b, 0, false),
        (Some(c), _) if c == max => return Some(ex.bool(false)),
        (Some(c), _) if c == max - 1 => (b, max, true),
        _ => return None,
    };
    equality(ex, x, v, equal)
}

fn equality(ex: &mut Exprs, x: Expr, v: u64, equal: bool) -> Option<Expr> {
    let c = ex.constant(ex.width(x), v);
    let same = ex.eq(x, c);
    Some(if equal { same } else { ex.not(same) })
}

/// zext(x) < c → x < c; c < zext(x) → c < x; decided when c does not fit
fn ult_zext_const(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if let (Kind::ZExt(x), Some(c)) = (ex.kind(a), ex.const_u64(b)) {
        let n = ex.width(x);
        if c > mask(n) {
            return Some(ex.bool(true));
        }
        let c = ex.constant(n, c);
        return Some(ex.bin(Op::Ult, x, c));
    }
    if let (Some(c), Kind::ZExt(x)) = (ex.const_u64(a), ex.kind(b)) {
        let n = ex.width(x);
        if c > mask(n) {
            return Some(ex.bool(false));
        }
        let c = ex.constant(n, c);
        return Some(ex.bin(Op::Ult, c, x));
    }
    None
}

/// sext(x) < c → x < c, c cut to a value with the same sign extensions below it; c < sext(x) likewise
fn ult_sext_const(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    // Sign extensions of n bits fill [0, half) and [2^w - half, 2^w); a bound in the gap means "non-negative".
    let cut = |n: u32, c: u64| {
        let half = 1u64 << (n - 1);
        if fits_signed(n, w, c) { (c & mask(n), true) } else { (half, false) }
    };
    if let (Kind::SExt(x), Some(c)) = (ex.kind(a), ex.const_u64(b)) {
        let n = ex.width(x);
        let (bound, _) = cut(n, c);
        let bound = ex.constant(n, bound);
        return Some(ex.bin(Op::Ult, x, bound));
    }
    if let (Some(c), Kind::SExt(x)) = (ex.const_u64(a), ex.kind(b)) {
        let n = ex.width(x);
        let (bound, exact) = cut(n, c);
        let bound = ex.constant(n, bound);
        return Some(ex.bin(if exact { Op::Ult } else { Op::Ule }, bound, x));
    }
    None
}

/// concat(h, l) < concat(c, 0) → h < c; concat(c, -1) < concat(h, l) → c < h
fn ult_concat_const(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if let (Kind::Bin(Op::Concat, h, l), Some(c)) = (ex.kind(a), ex.const_u64(b)) {
        let wl = ex.width(l);
        if c & mask(wl) != 0 {
            return None;
        }
        let c = ex.constant(ex.width(h), c >> wl);
        return Some(ex.bin(Op::Ult, h, c));
    }
    if let (Some(c), Kind::Bin(Op::Concat, h, l)) = (ex.const_u64(a), ex.kind(b)) {
        let wl = ex.width(l);
        if c & mask(wl) != mask(wl) {
            return None;
        }
        let c = ex.constant(ex.width(h), c >> wl);
        return Some(ex.bin(Op::Ult, c, h));
    }
    None
}

/// x + c1 < c2 → x < c2 - c1; c2 < x + c1 → c2 - c1 < x; when the sum cannot wrap
fn ult_add_const(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    // Adding c1 wraps never, or (c1 being a negative number) always: the same thing modulo 2^w.
    let offset = |ex: &Exprs, x: Expr, c1: u64| {
        let f = ex.facts(x);
        let wraps = |v: u64| u128::from(v) + u128::from(c1) > u128::from(mask(w));
        match (wraps(f.lo), wraps(f.hi)) {
            (false, false) => Some(i128::from(c1)),
            (true, true) => Some(i128::from(c1) - (1i128 << w)),
            _ => None,
        }
    };
    let bound = |ex: &mut Exprs, v: i128| ex.constant(w, v as u64);
    if let (Kind::Bin(Op::Add, x, c1), Some(c2)) = (ex.kind(a), ex.const_u64(b)) {
        let limit = i128::from(c2) - offset(ex, x, ex.const_u64(c1)?)?;
        return Some(match limit {
            l if l <= 0 => ex.bool(false),
            l if l > i128::from(mask(w)) => ex.bool(true),
            l => {
                let c = bound(ex, l);
                ex.bin(Op::Ult, x, c)
            }
        });
    }
    if let (Some(c2), Kind::Bin(Op::Add, x, c1)) = (ex.const_u64(a), ex.kind(b)) {
        let limit = i128::from(c2) - offset(ex, x, ex.const_u64(c1)?)?;
        return Some(match limit {
            l if l < 0 => ex.bool(true),
            l if l >= i128::from(mask(w)) => ex.bool(false),
            l => {
                let c = bound(ex, l);
                ex.bin(Op::Ult, c, x)
            }
        });
    }
    None
}

/// x udiv c1 < c2 → x < c1 * c2; c2 < x udiv c1 → c1 * c2 + (c1 - 1) < x
fn ult_udiv(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    let max = u128::from(mask(w));
    if let (Kind::Bin(Op::UDiv, x, c1), Some(c2)) = (ex.kind(a), ex.const_u64(b)) {
        let c1 = ex.const_u64(c1).filter(|&c| c > 0)?;
        let bound = u128::from(c1) * u128::from(c2);
        if bound > max {
            return Some(ex.bool(true));
        }
        let bound = ex.constant(w, bound as u64);
        return Some(ex.bin(Op::Ult, x, bound));
    }
    if let (Some(c2), Kind::Bin(Op::UDiv, x, c1)) = (ex.const_u64(a), ex.kind(b)) {
        let c1 = ex.const_u64(c1).filter(|&c| c > 0)?;
        let bound = u128::from(c1) * u128::from(c2) + u128::from(c1) - 1;
        if bound >= max {
            return Some(ex.bool(false));
        }
        let bound = ex.constant(w, bound as u64);
        return Some(ex.bin(Op::Ult, bound, x));
    }
    None
}

/// The values under two extensions of one kind, the narrower one extended to the width of the other.
pub(super) fn strip_extensions(ex: &mut Exprs, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
    match (ex.kind(a), ex.kind(b)) {
        (Kind::ZExt(x), Kind::ZExt(y)) => {
            let n = ex.width(x).max(ex.width(y));
            Some((ex.zext(x, n), ex.zext(y, n)))
        }
        (Kind::SExt(x), Kind::SExt(y)) => {
            let n = ex.width(x).max(ex.width(y));
            Some((ex.sext(x, n), ex.sext(y, n)))
        }
        _ => None,
    }
}

/// zext(x) < zext(y) → x < y; sext(x) < sext(y) → x < y; also for ≤ (sign extension keeps the unsigned order)
fn extended(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = strip_extensions(ex, a, b)?;
    Some(ex.bin(op, x, y))
}

/// concat(h, p) < concat(h, q) → p < q; also for ≤
fn common_high(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    match (ex.kind(a), ex.kind(b)) {
        (Kind::Bin(Op::Concat, h, p), Kind::Bin(Op::Concat, k, q)) if h == k => Some(ex.bin(op, p, q)),
        _ => None,
    }
}

/// a <s b → a < b, when both are known to be non-negative; also for ≤
fn slt_non_negative(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    if w > 64 || !ex.facts(a).non_negative(w) || !ex.facts(b).non_negative(w) {
        return None;
    }
    Some(ex.bin(if op == Op::Slt { Op::Ult } else { Op::Ule }, a, b))
}

/// a <s b → true or false, when their signed ranges do not overlap; also for ≤
fn slt_range(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) > 64 {
        return None;
    }
    let ((alo, ahi), (blo, bhi)) = (ex.signed_range(a), ex.signed_range(b));
    let strict = op == Op::Slt;
    if ahi < blo || !strict && ahi == blo {
        return Some(ex.bool(true));
    }
    (alo > bhi || strict && alo == bhi).then(|| ex.bool(false))
}

fn signed_limits(w: u32) -> (i64, i64) {
    (to_signed(w, 1 << (w - 1)), (mask(w) >> 1) as i64)
}

fn signed_const(ex: &Exprs, e: Expr) -> Option<i64> {
    ex.const_u64(e).map(|v| to_signed(ex.width(e), v))
}

/// x ≤s c → x <s c + 1; c ≤s x → c - 1 <s x; true at the extremes
fn sle_const(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    if op != Op::Sle {
        return None;
    }
    let w = ex.width(a);
    let (min, max) = signed_limits(w);
    if let Some(c) = signed_const(ex, b) {
        if c == max {
            return Some(ex.bool(true));
        }
        let next = ex.constant(w, (c + 1) as u64);
        return Some(ex.bin(Op::Slt, a, next));
    }
    let c = signed_const(ex, a)?;
    if c == min {
        return Some(ex.bool(true));
    }
    let previous = ex.constant(w, (c - 1) as u64);
    Some(ex.bin(Op::Slt, previous, b))
}

/// x <s min + 1 → x = min; min <s x → x ≠ min; x <s max → x ≠ max; max - 1 <s x → x = max
fn slt_extreme(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let (min, max) = signed_limits(ex.width(a));
    let (x, v, equal) = match (signed_const(ex, a), signed_const(ex, b)) {
        (_, Some(c)) if c == min => return Some(ex.bool(false)),
        (_, Some(c)) if c == min + 1 => (a, min, true),
        (_, Some(c)) if c == max => (a, max, false),
        (Some(c), _) if c == max => return Some(ex.bool(false)),
        (Some(c), _) if c == min => (b, min, false),
        (Some(c), _) if c == max - 1 => (b, max, true),
        _ => return None,
    };
    equality(ex, x, v as u64, equal)
}

/// sext(x) <s c → x <s c; c <s sext(x) → c <s x; when c fits (otherwise ranges decide)
fn slt_sext_const(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    if let (Kind::SExt(x), Some(c)) = (ex.kind(a), ex.const_u64(b)) {
        let n = ex.width(x);
        if !fits_signed(n, w, c) {
            return Some(ex.bool(to_signed(w, c) >= 0));
        }
        let c = ex.constant(n, c);
        return Some(ex.bin(Op::Slt, x, c));
    }
    if let (Some(c), Kind::SExt(x)) = (ex.const_u64(a), ex.kind(b)) {
        let n = ex.width(x);
        if !fits_signed(n, w, c) {
            return Some(ex.bool(to_signed(w, c) < 0));
        }
        let c = ex.constant(n, c);
        return Some(ex.bin(Op::Slt, c, x));
    }
    None
}

/// concat(h, l) <s 0 → h <s 0; -1 <s concat(h, l) → -1 <s h
fn slt_concat_zero(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if let Kind::Bin(Op::Concat, h, _) = ex.kind(a)
        && ex.is_zero(b)
    {
        let zero = ex.zero(ex.width(h));
        return Some(ex.bin(Op::Slt, h, zero));
    }
    if let Kind::Bin(Op::Concat, h, _) = ex.kind(b)
        && ex.is_ones(a)
    {
        let minus_one = ex.ones(ex.width(h));
        return Some(ex.bin(Op::Slt, minus_one, h));
    }
    None
}

/// x + c1 <s c2 → x <s c2 - c1; c2 <s x + c1 → c2 - c1 <s x; when the sum cannot wrap
fn slt_add_const(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    let (min, max) = signed_limits(w);
    let (min, max) = (i128::from(min), i128::from(max));
    let no_wrap = |ex: &Exprs, x: Expr, c1: i64| {
        let (lo, hi) = ex.signed_range(x);
        i128::from(lo) + i128::from(c1) >= min && i128::from(hi) + i128::from(c1) <= max
    };
    if let (Kind::Bin(Op::Add, x, c1), Some(c2)) = (ex.kind(a), signed_const(ex, b)) {
        let c1 = signed_const(ex, c1).filter(|&c1| no_wrap(ex, x, c1))?;
        let limit = i128::from(c2) - i128::from(c1);
        if limit < min || limit > max {
            return Some(ex.bool(limit > max));
        }
        let c = ex.constant(w, limit as u64);
        return Some(ex.bin(Op::Slt, x, c));
    }
    if let (Some(c2), Kind::Bin(Op::Add, x, c1)) = (signed_const(ex, a), ex.kind(b)) {
        let c1 = signed_const(ex, c1).filter(|&c1| no_wrap(ex, x, c1))?;
        let limit = i128::from(c2) - i128::from(c1);
        if limit < min || limit > max {
            return Some(ex.bool(limit < min));
        }
        let c = ex.constant(w, limit as u64);
        return Some(ex.bin(Op::Slt, c, x));
    }
    None
}

/// sext(x) <s sext(y) → x <s y, the narrower one extended; also for ≤
fn signed_extended(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    // Two zero extensions are non-negative and have become unsigned already, unless they are too wide for facts.
    let zero_extended = matches!((ex.kind(a), ex.kind(b)), (Kind::ZExt(_), Kind::ZExt(_)));
    let (x, y) = strip_extensions(ex, a, b)?;
    let op = match op {
        Op::Slt if zero_extended => Op::Ult,
        Op::Sle if zero_extended => Op::Ule,
        op => op,
    };
    Some(ex.bin(op, x, y))
}
