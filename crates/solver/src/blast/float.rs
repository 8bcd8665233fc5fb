//! Floating-point operations as circuits: the ones that need no rounding.
//!
//! Comparisons and classification are pure bit logic and make up most floating-point branches. Everything that
//! rounds is left to the SMT-LIB program; [`supported`] says which is which and must agree with [`operation`].

use super::graph::{Graph, Lit, Stop};
use super::words::{self, Word};
use forkwise_expr::FpOp;

/// Can [`operation`] build it?
pub(crate) fn supported(op: FpOp, operand: u32, _result: u32) -> bool {
    matches!(operand, 16 | 32 | 64 | 128) && matches!(op, FpOp::Eq | FpOp::Lt | FpOp::Le | FpOp::IsNan)
}

/// Bits of the exponent of the format of this width.
fn exponent_bits(width: usize) -> usize {
    match width {
        16 => 5,
        32 => 8,
        64 => 11,
        _ => 15,
    }
}

fn is_nan(g: &mut Graph, a: &[Lit]) -> Lit {
    let top = a.len() - 1;
    let mantissa = top - exponent_bits(a.len());
    let exponent_ones = g.and_all(a[mantissa..top].iter().copied());
    let payload = g.or_all(a[..mantissa].iter().copied());
    g.and(exponent_ones, payload)
}

/// The word of a supported operation.
pub(crate) fn operation(g: &mut Graph, op: FpOp, _width: usize, args: &[&[Lit]]) -> Result<Word, Stop> {
    if op == FpOp::IsNan {
        return Ok(vec![is_nan(g, args[0])]);
    }
    let (a, b) = (args[0], args[1]);
    let top = a.len() - 1;
    let (nan_a, nan_b) = (is_nan(g, a), is_nan(g, b));
    let unordered = g.or(nan_a, nan_b);
    // +0 and -0 are equal: both have all bits but the sign clear.
    let any = g.or_all(a[..top].iter().chain(&b[..top]).copied());
    let result = match op {
        FpOp::Eq => {
            let same = words::eq(g, a, b);
            g.or(same, !any)
        }
        FpOp::Lt | FpOp::Le => {
            // Sign and magnitude: a negative number is less than a non-negative one unless both are zero; two
            // negative ones compare the other way round.
            let or_equal = op == FpOp::Le;
            let less = words::less(g, &a[..top], &b[..top], or_equal);
            let more = words::less(g, &b[..top], &a[..top], or_equal);
            let same_sign = g.mux(a[top], more, less);
            let differ = g.xor(a[top], b[top]);
            let ordered = g.mux(differ, a[top], same_sign);
            let zeros = Lit::of(or_equal);
            g.mux(any, ordered, zeros)
        }
        _ => unreachable!("{op:?} is not supported here"),
    };
    Ok(vec![g.and(result, !unordered)])
}
