//! Rules for the four divisions. Division circuits are the largest the solver ever sees, so these rules turn
//! constants into shifts and masks and cut operands to the bits their ranges need.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op, Width};
use crate::semantics::mask;

pub(super) fn udiv(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex;
        DivOneBit => div_one_bit(a, b),
        UDivZero => udiv_zero(a, b),
        UDivOne => udiv_one(a, b),
        UDivPower => udiv_power(a, b),
        UDivConstants => udiv_constants(a, b),
        UDivNarrow => udiv_narrow(a, b),
    );
    None
}

pub(super) fn urem(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex;
        RemOneBit => rem_one_bit(a, b),
        URemZero => rem_zero(a, b),
        URemPower => urem_power(a, b),
        URemSmall => urem_small(a, b),
        URemNarrow => urem_narrow(a, b),
    );
    None
}

pub(super) fn sdiv(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex;
        DivOneBit => div_one_bit(a, b),
        SDivZero => sdiv_zero(a, b),
        SDivOne => udiv_one(a, b),
        SDivMinusOne => sdiv_minus_one(a, b),
        SDivNonNegative => sdiv_non_negative(a, b),
        SDivPower => sdiv_power(a, b),
        SDivNarrow => sdiv_narrow(a, b),
    );
    None
}

pub(super) fn srem(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex;
        RemOneBit => rem_one_bit(a, b),
        SRemZero => rem_zero(a, b),
        SRemOne => srem_one(a, b),
        SRemNonNegative => srem_non_negative(a, b),
        SRemNegativeDivisor => srem_negative_divisor(a, b),
        SRemPower => srem_power(a, b),
        SRemNarrow => srem_narrow(a, b),
    );
    None
}

/// a / b → a | ~b, in one bit
fn div_one_bit(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) != 1 {
        return None;
    }
    let other = ex.not(b);
    Some(ex.or(a, other))
}

/// a % b → a & ~b, in one bit
fn rem_one_bit(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) != 1 {
        return None;
    }
    let other = ex.not(b);
    Some(ex.and(a, other))
}

/// x udiv 0 → all ones
fn udiv_zero(ex: &mut Exprs, _: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then(|| ex.ones(ex.width(c)))
}

/// x / 1 → x
fn udiv_one(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_one(c).then_some(x)
}

/// x udiv 2^k → x >> k
fn udiv_power(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let k = ex.power_of_two(c)?;
    let by = ex.constant(ex.width(x), u64::from(k));
    Some(ex.bin(Op::LShr, x, by))
}

/// (x udiv c1) udiv c2 → x udiv (c1 * c2), or 0 when the product overflows
fn udiv_constants(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    let Kind::Bin(Op::UDiv, x, c1) = ex.kind(a) else { return None };
    let (v1, v2, w) = (ex.const_u64(c1)?, ex.const_u64(c2)?, ex.width(a));
    if v1 == 0 || v2 == 0 {
        return None;
    }
    match v1.checked_mul(v2).filter(|&p| p <= mask(w)) {
        Some(product) => {
            let c = ex.constant(w, product);
            Some(ex.bin(Op::UDiv, x, c))
        }
        None => Some(ex.zero(w)),
    }
}

/// The width both operands fit, if it is smaller than theirs.
fn unsigned_bits(ex: &Exprs, a: Expr, b: Expr) -> Option<Width> {
    let w = ex.width(a);
    if w > 64 {
        return None;
    }
    let n = (64 - (ex.facts(a).hi | ex.facts(b).hi).leading_zeros()).max(1);
    (n < w).then_some(n)
}

/// The operation on the low `n` bits, zero-extended.
fn narrowed(ex: &mut Exprs, op: Op, a: Expr, b: Expr, n: Width) -> Expr {
    let (x, y) = (ex.extract(a, 0, n), ex.extract(b, 0, n));
    ex.bin(op, x, y)
}

/// a udiv b → zext(low bits of a udiv low bits of b), when the rest is zero and b is not
fn udiv_narrow(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let n = unsigned_bits(ex, a, b)?;
    if ex.facts(b).lo == 0 {
        return None;
    }
    let low = narrowed(ex, Op::UDiv, a, b, n);
    Some(ex.zext(low, ex.width(a)))
}

/// x % 0 → x
fn rem_zero(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then_some(x)
}

/// x urem 2^k → x & (2^k - 1)
fn urem_power(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let k = ex.power_of_two(c)?;
    let w = ex.width(x);
    if k == 0 {
        return Some(ex.zero(w));
    }
    let low = ex.extract(x, 0, k);
    Some(ex.zext(low, w))
}

/// a urem b → a, when a < b always
fn urem_small(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    (ex.width(a) <= 64 && ex.facts(a).hi < ex.facts(b).lo).then_some(a)
}

/// a urem b → zext(low bits of a urem low bits of b), when the rest is zero
fn urem_narrow(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let n = unsigned_bits(ex, a, b)?;
    let low = narrowed(ex, Op::URem, a, b, n);
    Some(ex.zext(low, ex.width(a)))
}

/// x sdiv 0 → ite(x < 0, 1, -1)
fn sdiv_zero(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    if !ex.is_zero(c) {
        return None;
    }
    let w = ex.width(x);
    let negative = ex.bin(Op::Slt, x, c);
    let (one, ones) = (ex.constant(w, 1), ex.ones(w));
    Some(ex.ite(negative, one, ones))
}

/// x sdiv -1 → -x
fn sdiv_minus_one(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_ones(c).then(|| ex.neg(x))
}

fn both_non_negative(ex: &Exprs, a: Expr, b: Expr) -> bool {
    let w = ex.width(a);
    w <= 64 && ex.facts(a).non_negative(w) && ex.facts(b).non_negative(w)
}

/// a sdiv b → a udiv b, when both are known to be non-negative
fn sdiv_non_negative(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    both_non_negative(ex, a, b).then(|| ex.bin(Op::UDiv, a, b))
}

/// What is added to a negative number so that shifting rounds toward zero: 2^k - 1 if x < 0, else 0.
fn rounding_bias(ex: &mut Exprs, x: Expr, k: u32) -> Expr {
    let w = ex.width(x);
    let sign = ex.extract(x, w - 1, 1);
    let low = ex.sext(sign, k);
    ex.zext(low, w)
}

/// The exponent of a constant positive power of two greater than one.
fn positive_power(ex: &Exprs, c: Expr) -> Option<u32> {
    ex.power_of_two(c).filter(|&k| k > 0 && k < ex.width(c) - 1)
}

/// x sdiv 2^k → (x + bias) >>s k, bias = 2^k - 1 if x < 0, else 0
fn sdiv_power(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let k = positive_power(ex, c)?;
    let bias = rounding_bias(ex, x, k);
    let sum = ex.bin(Op::Add, x, bias);
    let by = ex.constant(ex.width(x), u64::from(k));
    Some(ex.bin(Op::AShr, sum, by))
}

/// The two's complement width both operands fit, and whether the divisor may be -1.
fn signed_bits(ex: &Exprs, a: Expr, b: Expr) -> Option<(Width, bool)> {
    if ex.width(a) > 64 {
        return None;
    }
    let need = |v: i64| 65 - if v < 0 { !v } else { v }.leading_zeros();
    let ((alo, ahi), (blo, bhi)) = (ex.signed_range(a), ex.signed_range(b));
    let n = need(alo).max(need(ahi)).max(need(blo)).max(need(bhi));
    Some((n, blo <= -1 && bhi >= -1))
}

/// a sdiv b → sext(low bits of a sdiv low bits of b), when the rest repeats the sign
fn sdiv_narrow(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let (n, minus_one) = signed_bits(ex, a, b)?;
    // The smallest number divided by -1 needs one more bit.
    let n = n + Width::from(minus_one);
    if n >= ex.width(a) {
        return None;
    }
    let low = narrowed(ex, Op::SDiv, a, b, n);
    Some(ex.sext(low, ex.width(a)))
}

/// x srem 1 → 0; x srem -1 → 0
fn srem_one(ex: &mut Exprs, _: Expr, c: Expr) -> Option<Expr> {
    (ex.is_one(c) || ex.is_ones(c)).then(|| ex.zero(ex.width(c)))
}

/// a srem b → a urem b, when both are known to be non-negative
fn srem_non_negative(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    both_non_negative(ex, a, b).then(|| ex.bin(Op::URem, a, b))
}

/// x srem -c → x srem c
fn srem_negative_divisor(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let (v, w) = (ex.const_u64(c)?, ex.width(c));
    let sign = 1 << (w - 1);
    if v & sign == 0 || v == sign {
        return None;
    }
    let positive = ex.neg(c);
    Some(ex.bin(Op::SRem, x, positive))
}

/// x srem 2^k → ((x + bias) & (2^k - 1)) - bias, bias = 2^k - 1 if x < 0, else 0
fn srem_power(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let k = positive_power(ex, c)?;
    let bias = rounding_bias(ex, x, k);
    let sum = ex.bin(Op::Add, x, bias);
    let low = ex.extract(sum, 0, k);
    let low = ex.zext(low, ex.width(x));
    Some(ex.bin(Op::Sub, low, bias))
}

/// a srem b → sext(low bits of a srem low bits of b), when the rest repeats the sign
fn srem_narrow(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let (n, _) = signed_bits(ex, a, b)?;
    if n >= ex.width(a) {
        return None;
    }
    let low = narrowed(ex, Op::SRem, a, b, n);
    Some(ex.sext(low, ex.width(a)))
}
