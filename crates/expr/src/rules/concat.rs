//! Rules for concatenation: chains nest to the right, neighbouring parts of one value merge back into it, and what is
//! zero or sign on top is an extension. This is what makes a value survive being stored and loaded byte by byte.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op};

/// Left operands with more parts than this are left as they are, to bound the work.
const MAX_PARTS: usize = 64;

pub(super) fn concat(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    first!(ex;
        ConcatZeroHigh => concat_zero_high(hi, lo),
        ConcatZExtHigh => concat_zext_high(hi, lo),
        ConcatSExtHigh => concat_sext_high(hi, lo),
        ConcatAssoc => concat_assoc(hi, lo),
        ConcatConstants => concat_constants(hi, lo),
        ConcatAdjacent => concat_adjacent(hi, lo),
        ConcatSign => concat_sign(hi, lo),
        ConcatIte => concat_ite(hi, lo),
        ConcatNot => concat_not(hi, lo),
        ConcatBitwise => concat_bitwise(hi, lo),
    );
    None
}

/// concat(0, x) → zext(x)
fn concat_zero_high(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let width = ex.width(hi) + ex.width(lo);
    ex.is_zero(hi).then(|| ex.zext(lo, width))
}

/// concat(zext(x), y) → zext(concat(x, y))
fn concat_zext_high(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::ZExt(x) = ex.kind(hi) else { return None };
    let width = ex.width(hi) + ex.width(lo);
    let inner = ex.concat(x, lo);
    Some(ex.zext(inner, width))
}

/// concat(sext(x), y) → sext(concat(x, y))
fn concat_sext_high(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::SExt(x) = ex.kind(hi) else { return None };
    let width = ex.width(hi) + ex.width(lo);
    let inner = ex.concat(x, lo);
    Some(ex.sext(inner, width))
}

/// concat(concat(a, b), c) → concat(a, concat(b, c))
fn concat_assoc(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let mut parts = Vec::new();
    let mut rest = hi;
    while let Kind::Bin(Op::Concat, part, tail) = ex.kind(rest) {
        if parts.len() == MAX_PARTS {
            return None;
        }
        parts.push(part);
        rest = tail;
    }
    if parts.is_empty() {
        return None;
    }
    let mut all = ex.concat(rest, lo);
    for &part in parts.iter().rev() {
        all = ex.concat(part, all);
    }
    Some(all)
}

/// The topmost part of a chain and what is below it.
fn head(ex: &Exprs, e: Expr) -> (Expr, Option<Expr>) {
    match ex.kind(e) {
        Kind::Bin(Op::Concat, h, t) => (h, Some(t)),
        _ => (e, None),
    }
}

fn above(ex: &mut Exprs, top: Expr, rest: Option<Expr>) -> Expr {
    match rest {
        Some(rest) => ex.concat(top, rest),
        None => top,
    }
}

/// concat(c1, concat(c2, x)) → concat(c1c2, x)
fn concat_constants(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let (first, rest) = head(ex, lo);
    if !ex.is_const(hi) || !ex.is_const(first) {
        return None;
    }
    let merged = ex.concat(hi, first);
    Some(above(ex, merged, rest))
}

/// The one value of which `hi` and `lo` are neighbouring bits, if there is one.
fn merge_neighbours(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let (wh, wl) = (ex.width(hi), ex.width(lo));
    match (ex.kind(hi), ex.kind(lo)) {
        (Kind::Extract(x, h), Kind::Extract(y, l)) if x == y => {
            (h == l + wl).then(|| ex.extract(x, l, wh + wl))
        }
        // Extraction may have simplified one of the two so far that it is no extraction any more: take the
        // neighbouring bits of the other's source and see if that is what we have.
        (Kind::Extract(x, h), _) if h >= wl && ex.extract(x, h - wl, wl) == lo => {
            Some(ex.extract(x, h - wl, wh + wl))
        }
        (_, Kind::Extract(x, l)) if l + wl + wh <= ex.width(x) && ex.extract(x, l + wl, wh) == hi => {
            Some(ex.extract(x, l, wh + wl))
        }
        _ => None,
    }
}

/// concat(x[k..], x[..k]) → x; also with the topmost part of a chain, and with parts that extraction simplified
fn concat_adjacent(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    if let Some(merged) = merge_neighbours(ex, hi, lo) {
        return Some(merged);
    }
    let (first, rest) = head(ex, lo);
    let rest = rest?;
    let merged = merge_neighbours(ex, hi, first)?;
    Some(ex.concat(merged, rest))
}

/// concat(sign of x, x) → sext(x)
fn concat_sign(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let w = ex.width(lo);
    if ex.width(hi) != 1 || ex.extract(lo, w - 1, 1) != hi {
        return None;
    }
    Some(ex.sext(lo, w + 1))
}

/// concat(ite(c, k1, k2), ite(c, k3, k4)) → ite(c, k1k3, k2k4), for constants; one of the two may be a constant
fn concat_ite(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let (first, rest) = head(ex, lo);
    let (c, h, l) = match (super::ite::constant_branches(ex, hi), super::ite::constant_branches(ex, first)) {
        (Some((c, t, f)), Some((d, u, g))) if c == d => (c, (t, f), (u, g)),
        (Some((c, t, f)), None) if ex.is_const(first) => (c, (t, f), (first, first)),
        (None, Some((d, u, g))) if ex.is_const(hi) => (d, (hi, hi), (u, g)),
        _ => return None,
    };
    let (t, f) = (ex.concat(h.0, l.0), ex.concat(h.1, l.1));
    let merged = ex.ite(c, t, f);
    Some(above(ex, merged, rest))
}

/// concat(~x, ~y) → ~concat(x, y)
fn concat_not(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let (first, rest) = head(ex, lo);
    let (Kind::Un(Op::Not, x), Kind::Un(Op::Not, y)) = (ex.kind(hi), ex.kind(first)) else { return None };
    let inner = ex.concat(x, y);
    let merged = ex.not(inner);
    Some(above(ex, merged, rest))
}

/// concat(x ∘ c1, y ∘ c2) → concat(x, y) ∘ c1c2, for and, or, xor with constants
fn concat_bitwise(ex: &mut Exprs, hi: Expr, lo: Expr) -> Option<Expr> {
    let (first, rest) = head(ex, lo);
    let (Kind::Bin(op, x, c1), Kind::Bin(same, y, c2)) = (ex.kind(hi), ex.kind(first)) else { return None };
    let bitwise = matches!(op, Op::And | Op::Or | Op::Xor);
    if !bitwise || same != op || !ex.is_const(c1) || !ex.is_const(c2) {
        return None;
    }
    let value = ex.concat(x, y);
    let c = ex.concat(c1, c2);
    let merged = ex.bin(op, value, c);
    Some(above(ex, merged, rest))
}
