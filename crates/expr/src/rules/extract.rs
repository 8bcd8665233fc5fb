//! Rules for extraction and extension. Extraction goes down to where the bits come from: through concatenations and
//! extensions always, through operators when the operands become simpler. What memory takes apart into bytes this
//! way, `concat` puts together again.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op, Width};
use crate::semantics::{extract_u64, mask};

pub(super) fn extract(ex: &mut Exprs, a: Expr, lo: u32, width: Width) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Extract(x, inner) => {
            first!(ex; ExtractExtract => extract_extract(x, inner + lo, width));
        }
        Kind::Bin(Op::Concat, ..) => {
            first!(ex; ExtractConcat => extract_concat(a, lo, width));
        }
        Kind::ZExt(x) => {
            first!(ex; ExtractZExt => extract_zext(x, lo, width));
        }
        Kind::SExt(x) => {
            first!(ex; ExtractSExt => extract_sext(x, lo, width));
        }
        Kind::Ite(c, t, f) => {
            first!(ex; ExtractIte => extract_ite((c, t, f), lo, width));
        }
        Kind::Bin(op @ (Op::And | Op::Or | Op::Xor), x, y) => {
            first!(ex; ExtractBitwise => extract_bitwise(op, (x, y), lo, width));
        }
        Kind::Un(Op::Not, x) => {
            first!(ex; ExtractNot => extract_not(x, lo, width));
        }
        Kind::Bin(Op::Add | Op::Sub | Op::Mul, ..) | Kind::Un(Op::Neg, _) if lo == 0 => {
            first!(ex; ExtractArith => extract_arith(a, width));
        }
        _ => {}
    }
    None
}

/// extract(extract(x)) → extract(x)
fn extract_extract(ex: &mut Exprs, x: Expr, lo: u32, width: Width) -> Option<Expr> {
    Some(ex.extract(x, lo, width))
}

/// extract(concat(h, l)) → extract(h), extract(l), or a concatenation of both when it lies across
fn extract_concat(ex: &mut Exprs, a: Expr, lo: u32, width: Width) -> Option<Expr> {
    // Down a long chain in a loop: each part is a step, not a level.
    let (mut inside, mut from) = (a, lo);
    while let Kind::Bin(Op::Concat, h, l) = ex.kind(inside) {
        let wl = ex.width(l);
        if from + width <= wl {
            inside = l;
        } else if from >= wl {
            (inside, from) = (h, from - wl);
        } else if inside == a {
            let high = ex.extract(h, 0, from + width - wl);
            let low = ex.extract(l, from, wl - from);
            return Some(ex.concat(high, low));
        } else {
            break;
        }
    }
    Some(ex.extract(inside, from, width))
}

/// extract(zext(x)) → extract(x), zext(extract(x)), or 0
fn extract_zext(ex: &mut Exprs, x: Expr, lo: u32, width: Width) -> Option<Expr> {
    let n = ex.width(x);
    if lo >= n {
        return Some(ex.zero(width));
    }
    let kept = ex.extract(x, lo, width.min(n - lo));
    Some(ex.zext(kept, width))
}

/// extract(sext(x)) → extract(x), sext(extract(x)), or copies of the sign
fn extract_sext(ex: &mut Exprs, x: Expr, lo: u32, width: Width) -> Option<Expr> {
    let lo = lo.min(ex.width(x) - 1);
    let kept = ex.extract(x, lo, width.min(ex.width(x) - lo));
    Some(ex.sext(kept, width))
}

/// extract(ite(c, k1, k2)) → ite(c, extract(k1), extract(k2)), for constants
fn extract_ite(ex: &mut Exprs, (c, t, f): (Expr, Expr, Expr), lo: u32, width: Width) -> Option<Expr> {
    if !ex.is_const(t) || !ex.is_const(f) {
        return None;
    }
    let (t, f) = (ex.extract(t, lo, width), ex.extract(f, lo, width));
    Some(ex.ite(c, t, f))
}

/// Are the bits `lo .. lo + width` all fixed?
fn fixed(ex: &Exprs, e: Expr, lo: u32, width: Width) -> bool {
    if ex.width(e) > 64 {
        return ex.is_const(e);
    }
    let f = ex.facts(e);
    extract_u64(f.zeros | f.ones, lo, width) == mask(width)
}

/// extract(x ∘ y) → extract(x) ∘ extract(y), when the bits of one operand are constant there
fn extract_bitwise(ex: &mut Exprs, op: Op, (x, y): (Expr, Expr), lo: u32, width: Width) -> Option<Expr> {
    if width > 64 && !ex.is_const(y) || width <= 64 && !fixed(ex, x, lo, width) && !fixed(ex, y, lo, width) {
        return None;
    }
    let (x, y) = (ex.extract(x, lo, width), ex.extract(y, lo, width));
    Some(ex.bin(op, x, y))
}

/// extract(~x) → ~extract(x)
fn extract_not(ex: &mut Exprs, x: Expr, lo: u32, width: Width) -> Option<Expr> {
    let x = ex.extract(x, lo, width);
    Some(ex.not(x))
}

/// Are the low bits of the expression a value that exists already, or nearly so? Bounded in depth.
fn low_is_free(ex: &Exprs, e: Expr, width: Width, depth: u32) -> bool {
    match ex.kind(e) {
        Kind::Const => true,
        Kind::ZExt(x) | Kind::SExt(x) => ex.width(x) <= width,
        Kind::Bin(Op::Concat, _, l) => ex.width(l) == width,
        Kind::Bin(Op::Add | Op::Sub | Op::Mul, x, y) if depth > 0 => {
            low_is_free(ex, x, width, depth - 1) && low_is_free(ex, y, width, depth - 1)
        }
        Kind::Un(Op::Neg, x) if depth > 0 => low_is_free(ex, x, width, depth - 1),
        _ => false,
    }
}

/// Low bits of x ∘ y → low bits of x ∘ low bits of y, for + - *, when those of x and y are at hand
fn extract_arith(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    if !low_is_free(ex, a, width, 4) {
        return None;
    }
    match ex.kind(a) {
        Kind::Bin(op, x, y) => {
            let (x, y) = (ex.extract(x, 0, width), ex.extract(y, 0, width));
            Some(ex.bin(op, x, y))
        }
        Kind::Un(_, x) => {
            let x = ex.extract(x, 0, width);
            Some(ex.neg(x))
        }
        _ => None,
    }
}

pub(super) fn zext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    first!(ex;
        ZExtZExt => zext_zext(a, width),
        ZExtIte => zext_ite(a, width),
        ZExtExtract => zext_extract(a, width),
        ZExtArith => zext_arith(a, width),
    );
    None
}

/// Cuts or extends with zeros.
fn resize(ex: &mut Exprs, x: Expr, width: Width) -> Expr {
    if ex.width(x) > width { ex.extract(x, 0, width) } else { ex.zext(x, width) }
}

/// zext(low bits of x) → x, cut or extended, when the bits left out are known to be zero
fn zext_extract(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let Kind::Extract(x, 0) = ex.kind(a) else { return None };
    if ex.width(x) > 64 || ex.facts(x).hi > mask(ex.width(a)) {
        return None;
    }
    Some(resize(ex, x, width))
}

/// zext(x ∘ y) → zext(x) ∘ zext(y), for + and *, when the result cannot wrap and the operands extend for free
fn zext_arith(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let Kind::Bin(op @ (Op::Add | Op::Mul), x, y) = ex.kind(a) else { return None };
    let free = |e| matches!(ex.kind(e), Kind::Const | Kind::ZExt(_));
    let n = ex.width(a);
    if n > 64 || !free(x) || !free(y) {
        return None;
    }
    let (p, q) = (u128::from(ex.facts(x).hi), u128::from(ex.facts(y).hi));
    if (if op == Op::Add { p + q } else { p * q }) > u128::from(mask(n)) {
        return None;
    }
    let (x, y) = (ex.zext(x, width), ex.zext(y, width));
    Some(ex.bin(op, x, y))
}

/// zext(zext(x)) → zext(x)
fn zext_zext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let Kind::ZExt(x) = ex.kind(a) else { return None };
    Some(ex.zext(x, width))
}

/// zext(ite(c, k1, k2)) → ite(c, zext(k1), zext(k2)), for constants
fn zext_ite(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let (c, t, f) = super::ite::constant_branches(ex, a)?;
    let (t, f) = (ex.zext(t, width), ex.zext(f, width));
    Some(ex.ite(c, t, f))
}

pub(super) fn sext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    first!(ex;
        SExtSExt => sext_sext(a, width),
        SExtZExt => sext_zext(a, width),
        SExtNonNegative => sext_non_negative(a, width),
        SExtIte => sext_ite(a, width),
        SExtArith => sext_arith(a, width),
    );
    None
}

/// sext(x ∘ y) → sext(x) ∘ sext(y), for + and *, when the result cannot wrap and the operands extend for free
fn sext_arith(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let Kind::Bin(op @ (Op::Add | Op::Mul), x, y) = ex.kind(a) else { return None };
    let free = |e| matches!(ex.kind(e), Kind::Const | Kind::ZExt(_) | Kind::SExt(_));
    let n = ex.width(a);
    if n > 64 || !free(x) || !free(y) {
        return None;
    }
    let ((p, q), (r, s)) = (ex.signed_range(x), ex.signed_range(y));
    let half = 1i128 << (n - 1);
    let fits = |u: i64, v: i64| {
        let (u, v) = (i128::from(u), i128::from(v));
        (-half..half).contains(&if op == Op::Add { u + v } else { u * v })
    };
    // Sums and products are largest and smallest at the corners.
    if !(fits(p, r) && fits(p, s) && fits(q, r) && fits(q, s)) {
        return None;
    }
    let (x, y) = (ex.sext(x, width), ex.sext(y, width));
    Some(ex.bin(op, x, y))
}

/// sext(sext(x)) → sext(x)
fn sext_sext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let Kind::SExt(x) = ex.kind(a) else { return None };
    Some(ex.sext(x, width))
}

/// sext(zext(x)) → zext(x)
fn sext_zext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let Kind::ZExt(x) = ex.kind(a) else { return None };
    Some(ex.zext(x, width))
}

/// sext(x) → zext(x), when x is known to be non-negative
fn sext_non_negative(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let w = ex.width(a);
    (w <= 64 && ex.facts(a).non_negative(w)).then(|| ex.zext(a, width))
}

/// sext(ite(c, k1, k2)) → ite(c, sext(k1), sext(k2)), for constants
fn sext_ite(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let (c, t, f) = super::ite::constant_branches(ex, a)?;
    let (t, f) = (ex.sext(t, width), ex.sext(f, width));
    Some(ex.ite(c, t, f))
}
