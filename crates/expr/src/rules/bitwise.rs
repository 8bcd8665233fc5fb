//! Rules for and, or, xor and not. Contiguous masks become extractions; operators over values put together from
//! parts are taken part by part, which is what turns `(a << 8) | b` into a concatenation.

use super::arith::{complementary, hoist_constant};
use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op, Width};
use crate::semantics::mask;

pub(super) fn and(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.is_const(b) {
        first!(ex;
            AndZero => and_zero(b),
            AndOnes => and_ones(a, b),
            AndCovered => and_covered(a, b),
            AndConstants => and_constants(a, b),
            AndOrConst => and_or_const(a, b),
            AndMask => and_mask(a, b),
            LookupMap => map_lookup(Op::And, a, b),
            BitwiseSplit => split(Op::And, a, b),
        );
        return None;
    }
    first!(ex;
        AndSelf => same(a, b),
        AndComplement => and_complement(a, b),
        AndAbsorb => and_absorb(a, b),
        AndEqualities => and_equalities(a, b),
        AndSignMask => and_sign_mask(a, b),
        BitwiseSplit => split(Op::And, a, b),
    );
    None
}

pub(super) fn or(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.is_const(b) {
        first!(ex;
            OrZero => or_zero(a, b),
            OrOnes => or_ones(b),
            OrCovered => or_covered(a, b),
            OrConstants => or_constants(a, b),
            BitwiseSplit => split(Op::Or, a, b),
        );
        return None;
    }
    first!(ex;
        OrSelf => same(a, b),
        OrComplement => or_complement(a, b),
        OrAbsorb => or_absorb(a, b),
        OrSignMask => or_sign_mask(a, b),
        BitwiseSplit => split(Op::Or, a, b),
    );
    None
}

pub(super) fn xor(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.is_const(b) {
        first!(ex;
            XorZero => or_zero(a, b),
            XorOnes => xor_ones(a, b),
            XorConstants => xor_constants(a, b),
            XorNot => xor_not(a, b),
            BitwiseSplit => split(Op::Xor, a, b),
        );
        return None;
    }
    first!(ex;
        XorSelf => xor_self(a, b),
        XorNot => xor_not(a, b),
        XorHoist => xor_hoist(a, b),
        XorCancel => xor_cancel(a, b),
        BitwiseSplit => split(Op::Xor, a, b),
    );
    None
}

pub(super) fn not(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    first!(ex;
        NotNot => not_not(a),
        NotCompare => not_compare(a),
        NotNeg => not_neg(a),
        NotXorConst => not_xor_const(a),
    );
    None
}

fn map_lookup(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    super::lookup::map(ex, op, a, b)
}

/// x & 0 → 0
fn and_zero(ex: &mut Exprs, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then_some(c)
}

/// x & -1 → x
fn and_ones(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_ones(c).then_some(x)
}

/// x & x → x; x | x → x
fn same(_: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then_some(a)
}

/// x & c → x, when c keeps every bit of x that may be one
fn and_covered(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let (keep, w) = (ex.const_u64(c)?, ex.width(c));
    ((keep | ex.facts(x).zeros) == mask(w)).then_some(x)
}

/// (x & c1) & c2 → x & (c1 & c2)
fn and_constants(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    constants(ex, Op::And, a, c2)
}

/// (x ∘ c1) ∘ c2 → x ∘ (c1 ∘ c2)
fn constants(ex: &mut Exprs, op: Op, a: Expr, c2: Expr) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Bin(o, x, c1) if o == op && ex.is_const(c1) => {
            let c = ex.bin(op, c1, c2);
            Some(ex.bin(op, x, c))
        }
        _ => None,
    }
}

/// (x | c1) & c2 → (x & c2) | (c1 & c2)
fn and_or_const(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Or, x, c1) = ex.kind(a) else { return None };
    if !ex.is_const(c1) {
        return None;
    }
    let (x, c) = (ex.and(x, c2), ex.and(c1, c2));
    Some(ex.or(x, c))
}

/// x & 0..01..10..0 → zext(concat(those bits of x, 0)); a mask with holes keeps its `and` on those bits
fn and_mask(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let w = ex.width(c);
    let (lo, len, holes) = match ex.const_u64(c) {
        Some(v) => {
            let (lo, len) = (v.trailing_zeros(), 64 - v.leading_zeros() - v.trailing_zeros());
            (lo, len, v.count_ones() != len)
        }
        None => {
            let v = ex.bits(c)?;
            let lo = (0..w).find(|&i| v.bit(i))?;
            let len = v.bit_length() - lo;
            (lo, len, v.limbs().iter().map(|l| l.count_ones()).sum::<u32>() != len)
        }
    };
    if len == w {
        return None;
    }
    let mut kept = ex.extract(x, lo, len);
    if holes {
        let c = ex.extract(c, lo, len);
        kept = ex.and(kept, c);
    }
    if lo > 0 {
        let zero = ex.zero(lo);
        kept = ex.concat(kept, zero);
    }
    Some(ex.zext(kept, w))
}

/// x & ~x → 0
fn and_complement(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    complementary(ex, a, b).then(|| ex.zero(ex.width(a)))
}

/// x & (x | y) → x; x & (x & y) → x & y; x & (~x & y) → 0; x & (~x | y) → x & y
fn and_absorb(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    absorb(ex, Op::And, Op::Or, a, b)
}

/// x | (x & y) → x; x | (x | y) → x | y; x | (~x | y) → -1; x | (~x & y) → x | y
fn or_absorb(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    absorb(ex, Op::Or, Op::And, a, b)
}

fn absorb(ex: &mut Exprs, op: Op, dual: Op, a: Expr, b: Expr) -> Option<Expr> {
    for (x, other) in [(a, b), (b, a)] {
        let Kind::Bin(o, p, q) = ex.kind(other) else { continue };
        if o != op && o != dual {
            continue;
        }
        if p == x || q == x {
            return Some(if o == op { other } else { x });
        }
        for (candidate, rest) in [(p, q), (q, p)] {
            if complementary(ex, x, candidate) {
                let w = ex.width(x);
                return Some(match (o == op, op) {
                    (true, Op::And) => ex.zero(w),
                    (true, _) => ex.ones(w),
                    (false, _) => ex.bin(op, x, rest),
                });
            }
        }
    }
    None
}

/// x = c1 & x = c2 → false; x = c1 & x ≠ c2 → x = c1 (different constants)
fn and_equalities(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) != 1 {
        return None;
    }
    let equality = |e: Expr| match ex.kind(e) {
        Kind::Bin(Op::Eq, x, c) if ex.is_const(c) => Some((x, c)),
        _ => None,
    };
    let negated = |e: Expr| match ex.kind(e) {
        Kind::Un(Op::Not, inner) => equality(inner),
        _ => None,
    };
    for (p, q) in [(a, b), (b, a)] {
        let Some((x, c)) = equality(p) else { continue };
        if equality(q).is_some_and(|(y, d)| x == y && c != d) {
            return Some(ex.bool(false));
        }
        if negated(q).is_some_and(|(y, d)| x == y && c != d) {
            return Some(p);
        }
    }
    None
}

/// A sign-extended truth value: a mask of all zeros or all ones.
fn sign_mask(ex: &Exprs, e: Expr) -> Option<Expr> {
    match ex.kind(e) {
        Kind::SExt(bit) if ex.width(bit) == 1 => Some(bit),
        _ => None,
    }
}

/// x & sext(b) → ite(b, x, 0), b of one bit
fn and_sign_mask(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (x, m) in [(a, b), (b, a)] {
        if let Some(bit) = sign_mask(ex, m) {
            let zero = ex.zero(ex.width(x));
            return Some(ex.ite(bit, x, zero));
        }
    }
    None
}

/// x | sext(b) → ite(b, -1, x), b of one bit
fn or_sign_mask(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (x, m) in [(a, b), (b, a)] {
        if let Some(bit) = sign_mask(ex, m) {
            let ones = ex.ones(ex.width(x));
            return Some(ex.ite(bit, ones, x));
        }
    }
    None
}

/// x | 0 → x; x ^ 0 → x
fn or_zero(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then_some(x)
}

/// x | -1 → -1
fn or_ones(ex: &mut Exprs, c: Expr) -> Option<Expr> {
    ex.is_ones(c).then_some(c)
}

/// x | c → x, when the bits of c are known to be one in x
fn or_covered(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    (ex.const_u64(c)? & !ex.facts(x).ones == 0).then_some(x)
}

/// (x | c1) | c2 → x | (c1 | c2)
fn or_constants(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    constants(ex, Op::Or, a, c2)
}

/// x | ~x → -1
fn or_complement(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    complementary(ex, a, b).then(|| ex.ones(ex.width(a)))
}

/// x ^ -1 → ~x
fn xor_ones(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_ones(c).then(|| ex.not(x))
}

/// (x ^ c1) ^ c2 → x ^ (c1 ^ c2)
fn xor_constants(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    constants(ex, Op::Xor, a, c2)
}

/// x ^ x → 0
fn xor_self(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then(|| ex.zero(ex.width(a)))
}

/// ~x ^ y → ~(x ^ y); ~x ^ c → x ^ ~c
fn xor_not(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if let Kind::Un(Op::Not, x) = ex.kind(a) {
        if ex.is_const(b) {
            let c = ex.not(b);
            return Some(ex.bin(Op::Xor, x, c));
        }
        let inner = ex.bin(Op::Xor, x, b);
        return Some(ex.not(inner));
    }
    if let Kind::Un(Op::Not, y) = ex.kind(b) {
        let inner = ex.bin(Op::Xor, a, y);
        return Some(ex.not(inner));
    }
    None
}

/// (x ^ c) ^ y → (x ^ y) ^ c
fn xor_hoist(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    hoist_constant(ex, Op::Xor, a, b)
}

/// (x ^ y) ^ x → y
fn xor_cancel(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (inner, z) in [(a, b), (b, a)] {
        match ex.kind(inner) {
            Kind::Bin(Op::Xor, x, y) if x == z => return Some(y),
            Kind::Bin(Op::Xor, x, y) if y == z => return Some(x),
            _ => {}
        }
    }
    None
}

/// concat(p, q) ∘ concat(r, s) → concat(p ∘ r, q ∘ s), when both are put together from parts of which one is
/// constant (a zero extension has a zero on top; a constant is put together any way)
fn split(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    let parts = |e| matches!(ex.kind(e), Kind::Const | Kind::ZExt(_) | Kind::Bin(Op::Concat, ..));
    if !parts(a) || !parts(b) {
        return None;
    }
    let at = boundary(ex, a).or_else(|| boundary(ex, b)).or_else(|| trivial_half(ex, a, b))?;
    let w = ex.width(a);
    let (ah, al) = (ex.extract(a, at, w - at), ex.extract(a, 0, at));
    let (bh, bl) = (ex.extract(b, at, w - at), ex.extract(b, 0, at));
    let (high, low) = (ex.bin(op, ah, bh), ex.bin(op, al, bl));
    Some(ex.concat(high, low))
}

/// The topmost boundary of a value that has a constant part at or just below it; further parts are split in turn.
fn boundary(ex: &Exprs, e: Expr) -> Option<Width> {
    match ex.kind(e) {
        Kind::ZExt(x) => Some(ex.width(x)),
        Kind::Bin(Op::Concat, h, l) => {
            let direct = ex.is_const(h) || ex.is_const(l) || matches!(ex.kind(l), Kind::ZExt(_));
            let below = matches!(ex.kind(l), Kind::Bin(Op::Concat, p, q) if ex.is_const(p) || ex.is_const(q));
            (direct || below).then(|| ex.width(l))
        }
        _ => None,
    }
}

/// The boundary of a concatenation where the constant on the other side is all zeros or all ones on one part.
fn trivial_half(ex: &mut Exprs, a: Expr, c: Expr) -> Option<Width> {
    let Kind::Bin(Op::Concat, h, l) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let (wh, wl) = (ex.width(h), ex.width(l));
    let (high, low) = (ex.extract(c, wl, wh), ex.extract(c, 0, wl));
    let trivial = |e| ex.is_zero(e) || ex.is_ones(e);
    (trivial(high) || trivial(low)).then_some(wl)
}

/// ~~x → x
fn not_not(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Un(Op::Not, x) => Some(x),
        _ => None,
    }
}

/// ~(-x) → x - 1
fn not_neg(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    let Kind::Un(Op::Neg, x) = ex.kind(a) else { return None };
    let minus_one = ex.ones(ex.width(a));
    Some(ex.bin(Op::Add, x, minus_one))
}

/// ~(x ^ c) → x ^ ~c
fn not_xor_const(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Xor, x, c) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let c = ex.not(c);
    Some(ex.bin(Op::Xor, x, c))
}

/// ~(a < b) → b ≤ a; ~(a ≤ b) → b < a; signed and unsigned
fn not_compare(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    let Kind::Bin(op, x, y) = ex.kind(a) else { return None };
    let opposite = match op {
        Op::Ult => Op::Ule,
        Op::Ule => Op::Ult,
        Op::Slt => Op::Sle,
        Op::Sle => Op::Slt,
        _ => return None,
    };
    Some(ex.bin(opposite, y, x))
}
