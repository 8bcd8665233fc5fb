//! Rules for shifts. By a constant, a shift only moves bits: it becomes an extraction and an extension, which the
//! other rules see through. By a variable amount, only amounts known to be out of range are decided.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op};

pub(super) fn shift(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    first!(ex;
        ShiftZero => shift_zero(a, b),
        ShiftOfZero => shift_of_zero(op, a),
        ShiftTooFar => shift_too_far(op, a, b),
        AShrNonNegative => ashr_non_negative(op, a, b),
    );
    // Oversized constants are gone, except for those of more than 64 bits, which are left alone.
    let by = ex.bits(b)?;
    let k = u32::try_from(by.to_u128()).ok().filter(|&k| by.bit_length() <= 32 && k < ex.width(a))?;
    match op {
        Op::Shl => {
            first!(ex; ShlAddConst => shl_add_const(a, b), ShlConst => shl_const(a, k));
        }
        Op::LShr => {
            first!(ex; LShrConst => lshr_const(a, k));
        }
        _ => {
            first!(ex; AShrConst => ashr_const(a, k));
        }
    }
    None
}

/// x shifted by 0 → x
fn shift_zero(ex: &mut Exprs, x: Expr, by: Expr) -> Option<Expr> {
    ex.is_zero(by).then_some(x)
}

/// 0 shifted by y → 0; -1 >>s y → -1
fn shift_of_zero(ex: &mut Exprs, op: Op, a: Expr) -> Option<Expr> {
    (ex.is_zero(a) || op == Op::AShr && ex.is_ones(a)).then_some(a)
}

/// x shifted by at least its width → 0, or its sign everywhere
fn shift_too_far(ex: &mut Exprs, op: Op, x: Expr, by: Expr) -> Option<Expr> {
    let w = ex.width(x);
    let too_far = if w <= 64 {
        ex.facts(by).lo >= u64::from(w)
    } else {
        let limit = ex.constant(w, u64::from(w));
        ex.is_const(by) && {
            let small = ex.bin(Op::Ult, by, limit);
            ex.is_false(small)
        }
    };
    if !too_far {
        return None;
    }
    if op == Op::AShr {
        let sign = ex.extract(x, w - 1, 1);
        return Some(ex.sext(sign, w));
    }
    Some(ex.zero(w))
}

/// x >>s y → x >> y, when x is known to be non-negative
fn ashr_non_negative(ex: &mut Exprs, op: Op, x: Expr, by: Expr) -> Option<Expr> {
    let w = ex.width(x);
    (op == Op::AShr && w <= 64 && ex.facts(x).non_negative(w)).then(|| ex.bin(Op::LShr, x, by))
}

/// (x + c) << k → (x << k) + (c << k)
fn shl_add_const(ex: &mut Exprs, a: Expr, by: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Add, x, c) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let (x, c) = (ex.bin(Op::Shl, x, by), ex.bin(Op::Shl, c, by));
    Some(ex.bin(Op::Add, x, c))
}

/// x << k → concat(low bits of x, 0)
fn shl_const(ex: &mut Exprs, x: Expr, k: u32) -> Option<Expr> {
    let high = ex.extract(x, 0, ex.width(x) - k);
    let zero = ex.zero(k);
    Some(ex.concat(high, zero))
}

/// x >> k → zext(high bits of x)
fn lshr_const(ex: &mut Exprs, x: Expr, k: u32) -> Option<Expr> {
    let w = ex.width(x);
    let high = ex.extract(x, k, w - k);
    Some(ex.zext(high, w))
}

/// x >>s k → sext(high bits of x)
fn ashr_const(ex: &mut Exprs, x: Expr, k: u32) -> Option<Expr> {
    let w = ex.width(x);
    let high = ex.extract(x, k, w - k);
    Some(ex.sext(high, w))
}
