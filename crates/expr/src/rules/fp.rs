//! Rules for floating point. They remove conversions that lose nothing and turn comparisons of converted integers
//! into integer comparisons; that is what keeps most programs out of the floating-point solver. Every rule is exact
//! to the bit, signalling NaNs included.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, FpOp, Kind, Op, Width};
use crate::semantics::{fp_u64, mask};
use crate::softfloat::FpFormat;

pub(super) fn fp(ex: &mut Exprs, op: FpOp, width: Width, args: &[Expr]) -> Option<Expr> {
    match op {
        FpOp::Eq | FpOp::Lt | FpOp::Le => {
            let (a, b) = (args[0], args[1]);
            first!(ex;
                FpSelfCompare => self_compare(op, a, b),
                FpCompareNan => compare_nan(a, b),
                FpCompareWidened => compare_widened(op, a, b),
                FpCompareWidenedConst => compare_widened_const(op, a, b),
                FpCompareInts => compare_ints(op, a, b),
                FpCompareIntConst => compare_int_const(op, a, b),
            );
        }
        FpOp::IsNan => {
            first!(ex; FpIsNanInt => is_nan_int(args[0]), FpIsNanConverted => is_nan_converted(args[0]));
        }
        FpOp::ToFloat => {
            first!(ex;
                FpToSame => to_same(args[0], width),
                FpRoundTrip => round_trip(args[0], width),
                FpWidenTwice => widen_twice(args[0], width),
                FpFromIntDirect => from_int_direct(args[0], width),
            );
        }
        FpOp::FromSigned | FpOp::FromUnsigned => {
            first!(ex;
                FpFromExtended => from_extended(op, args[0], width),
                FpFromNonNegative => from_non_negative(op, args[0], width),
            );
        }
        FpOp::ToSigned | FpOp::ToUnsigned => {
            first!(ex; FpToIntOfInt => to_int_of_int(op, args[0], width));
        }
        FpOp::RoundToIntegral(_) => {
            first!(ex; FpRoundIntegral => round_integral(op, args[0]));
        }
        _ => {}
    }
    None
}

fn precision(width: Width) -> u32 {
    FpFormat::of_width(width).map_or(0, FpFormat::precision)
}

/// The operand of a conversion to a wider float.
fn widened(ex: &Exprs, e: Expr) -> Option<Expr> {
    match ex.kind(e) {
        Kind::Fp(FpOp::ToFloat, x, ..) if ex.width(x) < ex.width(e) => Some(x),
        _ => None,
    }
}

/// The operand of a conversion from an integer, and whether that is signed; exact ones only.
fn exact_int(ex: &Exprs, e: Expr) -> Option<(Expr, bool)> {
    let (x, signed) = match ex.kind(e) {
        Kind::Fp(FpOp::FromSigned, x, ..) => (x, true),
        Kind::Fp(FpOp::FromUnsigned, x, ..) => (x, false),
        _ => return None,
    };
    // The magnitude of a signed number has one bit less, or is a power of two.
    let bits = ex.width(x) - u32::from(signed);
    (bits <= precision(ex.width(e))).then_some((x, signed))
}

/// x = x → ~isNaN(x); x < x → false; x ≤ x → ~isNaN(x)
fn self_compare(ex: &mut Exprs, op: FpOp, a: Expr, b: Expr) -> Option<Expr> {
    if a != b {
        return None;
    }
    if op == FpOp::Lt {
        return Some(ex.bool(false));
    }
    let nan = ex.fp(FpOp::IsNan, 1, &[a]);
    Some(ex.not(nan))
}

/// Comparison with a constant NaN → false
fn compare_nan(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for e in [a, b] {
        if ex.is_const(e) {
            let nan = ex.fp(FpOp::IsNan, 1, &[e]);
            return ex.is_true(nan).then(|| ex.bool(false));
        }
    }
    None
}

/// toFloat(x) ∘ toFloat(y) → x ∘ y, both widened from one format
fn compare_widened(ex: &mut Exprs, op: FpOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = (widened(ex, a)?, widened(ex, b)?);
    (ex.width(x) == ex.width(y)).then(|| ex.fp(op, 1, &[x, y]))
}

/// toFloat(x) ∘ c → x ∘ c, when c exists in the format of x
fn compare_widened_const(ex: &mut Exprs, op: FpOp, a: Expr, b: Expr) -> Option<Expr> {
    let narrow = |ex: &mut Exprs, x: Expr, c: Expr| {
        let cut = ex.fp(FpOp::ToFloat, ex.width(x), &[c]);
        let back = ex.fp(FpOp::ToFloat, ex.width(c), &[cut]);
        (back == c).then_some(cut)
    };
    if let Some(x) = widened(ex, a)
        && ex.is_const(b)
    {
        let c = narrow(ex, x, b)?;
        return Some(ex.fp(op, 1, &[x, c]));
    }
    if let Some(x) = widened(ex, b)
        && ex.is_const(a)
    {
        let c = narrow(ex, x, a)?;
        return Some(ex.fp(op, 1, &[c, x]));
    }
    None
}

fn integer_op(op: FpOp, signed: bool) -> Op {
    match (op, signed) {
        (FpOp::Lt, true) => Op::Slt,
        (FpOp::Lt, false) => Op::Ult,
        (FpOp::Le, true) => Op::Sle,
        (FpOp::Le, false) => Op::Ule,
        _ => Op::Eq,
    }
}

/// fromInt(x) ∘ fromInt(y) → x ∘ y, when both conversions are exact
fn compare_ints(ex: &mut Exprs, op: FpOp, a: Expr, b: Expr) -> Option<Expr> {
    let ((x, xs), (y, ys)) = (exact_int(ex, a)?, exact_int(ex, b)?);
    // One more bit makes an unsigned number a signed one.
    let signed = xs || ys;
    let room = |e: Expr, s: bool| ex.width(e) + u32::from(signed && !s);
    let w = room(x, xs).max(room(y, ys));
    let (x, y) = (extend(ex, x, xs, w), extend(ex, y, ys, w));
    Some(ex.bin(integer_op(op, signed), x, y))
}

fn extend(ex: &mut Exprs, x: Expr, signed: bool, w: Width) -> Expr {
    if signed { ex.sext(x, w) } else { ex.zext(x, w) }
}

/// fromInt(x) ∘ c → x ∘ c rounded to an integer the right way, when the conversion is exact
fn compare_int_const(ex: &mut Exprs, op: FpOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, signed, c, constant_left) = match (exact_int(ex, a), exact_int(ex, b)) {
        (Some((x, s)), None) => (x, s, ex.const_u64(b)?, false),
        (None, Some((x, s))) => (x, s, ex.const_u64(a)?, true),
        _ => return None,
    };
    let float_width = ex.width(a);
    let w = ex.width(x);
    if w > 63 {
        return None;
    }
    let c = match float_width {
        64 => f64::from_bits(c),
        _ => f64::from_bits(fp_u64(FpOp::ToFloat, 64, float_width, &[c])),
    };
    let (min, max) =
        if signed { (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1) } else { (0, i128::from(mask(w))) };
    // The bound as an integer: for x < c round up, for x ≤ c down, and the other way round with c on the left.
    let rounded = match (op, constant_left) {
        (FpOp::Eq, _) if c.fract() != 0.0 || c.is_infinite() => return Some(ex.bool(false)),
        (FpOp::Lt, false) | (FpOp::Le, true) => c.ceil(),
        _ => c.floor(),
    };
    // Saturating: everything out of range is decided just below.
    let bound = rounded as i128;
    let decided = match (op, constant_left) {
        (FpOp::Eq, _) if bound < min || bound > max => Some(false),
        (FpOp::Lt | FpOp::Le, false) if bound < min => Some(false),
        (FpOp::Lt | FpOp::Le, false) if bound > max => Some(true),
        (FpOp::Lt | FpOp::Le, true) if bound > max => Some(false),
        (FpOp::Lt | FpOp::Le, true) if bound < min => Some(true),
        _ => None,
    };
    if let Some(answer) = decided {
        return Some(ex.bool(answer));
    }
    let k = ex.constant(w, bound as u64);
    let op = integer_op(op, signed);
    Some(if constant_left { ex.bin(op, k, x) } else { ex.bin(op, x, k) })
}

/// isNaN(fromInt(x)) → false
fn is_nan_int(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    matches!(ex.kind(a), Kind::Fp(FpOp::FromSigned | FpOp::FromUnsigned, ..)).then(|| ex.bool(false))
}

/// isNaN(toFloat(x)) → isNaN(x); isNaN(round(x)) → isNaN(x)
fn is_nan_converted(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Fp(FpOp::ToFloat | FpOp::RoundToIntegral(_), x, ..) => Some(ex.fp(FpOp::IsNan, 1, &[x])),
        _ => None,
    }
}

/// toFloat(x) → x, when x has that format already
fn to_same(ex: &mut Exprs, x: Expr, width: Width) -> Option<Expr> {
    (ex.width(x) == width).then_some(x)
}

/// Never a signalling NaN: the floating-point result of an operation.
fn is_quiet(ex: &Exprs, e: Expr) -> bool {
    matches!(ex.kind(e), Kind::Fp(op, ..) if !matches!(op, FpOp::ToSigned | FpOp::ToUnsigned))
}

/// toFloat(toFloat(x)) → x, widened and back, when x is the result of an operation (never a signalling NaN)
fn round_trip(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let x = widened(ex, a)?;
    (ex.width(x) == width && is_quiet(ex, x)).then_some(x)
}

/// toFloat(toFloat(x)) → toFloat(x), widened twice
fn widen_twice(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let x = widened(ex, a)?;
    (ex.width(a) < width).then(|| ex.fp(FpOp::ToFloat, width, &[x]))
}

/// toFloat(fromInt(x)) → fromInt(x), when the inner conversion is exact
fn from_int_direct(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    let (x, signed) = exact_int(ex, a)?;
    let op = if signed { FpOp::FromSigned } else { FpOp::FromUnsigned };
    Some(ex.fp(op, width, &[x]))
}

/// fromSigned(sext(x)) → fromSigned(x); fromInt(zext(x)) → fromUnsigned(x)
fn from_extended(ex: &mut Exprs, op: FpOp, a: Expr, width: Width) -> Option<Expr> {
    match ex.kind(a) {
        Kind::SExt(x) if op == FpOp::FromSigned => Some(ex.fp(FpOp::FromSigned, width, &[x])),
        Kind::ZExt(x) => Some(ex.fp(FpOp::FromUnsigned, width, &[x])),
        _ => None,
    }
}

/// fromSigned(x) → fromUnsigned(x), when x is known to be non-negative
fn from_non_negative(ex: &mut Exprs, op: FpOp, a: Expr, width: Width) -> Option<Expr> {
    let w = ex.width(a);
    (op == FpOp::FromSigned && w <= 64 && ex.facts(a).non_negative(w))
        .then(|| ex.fp(FpOp::FromUnsigned, width, &[a]))
}

/// toInt(fromInt(x)) → x extended, when the conversion is exact and the result has room
fn to_int_of_int(ex: &mut Exprs, op: FpOp, a: Expr, width: Width) -> Option<Expr> {
    let (x, signed) = exact_int(ex, a)?;
    let n = ex.width(x);
    match (op, signed) {
        (FpOp::ToSigned, true) if width >= n => Some(ex.sext(x, width)),
        (FpOp::ToSigned, false) if width > n => Some(ex.zext(x, width)),
        (FpOp::ToUnsigned, false) if width >= n => Some(ex.zext(x, width)),
        _ => None,
    }
}

/// round(round(x)) → round(x), the inner one; round(fromInt(x)) → fromInt(x)
fn round_integral(ex: &mut Exprs, _: FpOp, a: Expr) -> Option<Expr> {
    let integral =
        matches!(ex.kind(a), Kind::Fp(FpOp::RoundToIntegral(_) | FpOp::FromSigned | FpOp::FromUnsigned, ..));
    integral.then_some(a)
}
