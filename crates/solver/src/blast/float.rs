//! Floating-point operations as circuits: which ones, their special values, and the ones that need no rounding.
//!
//! Bits of every result, NaN included, are those documented at `forkwise_expr::FpOp`. Numbers are unpacked into
//! sign, exponent and significand, computed exactly in `float_arith`, and rounded once in `float_round`. The
//! remainder and the 80-bit format are left to the SMT-LIB program; [`supported`] must agree with [`operation`].

use super::float_arith as arith;
use super::float_round::{Format, Number, round};
use super::graph::{FALSE, Graph, Lit, Stop, TRUE};
use super::words::{self, Word};
use forkwise_expr::FpOp;

/// Can [`operation`] build it?
pub(crate) fn supported(op: FpOp, operand: u32, result: u32) -> bool {
    let float = |w: u32| matches!(w, 16 | 32 | 64 | 128);
    match op {
        FpOp::Rem => false,
        FpOp::FromSigned | FpOp::FromUnsigned => float(result),
        FpOp::ToFloat => float(operand) && float(result),
        _ => float(operand),
    }
}

/// The word of a supported operation; `width` is that of the result.
pub(crate) fn operation(g: &mut Graph, op: FpOp, width: usize, args: &[&[Lit]]) -> Result<Word, Stop> {
    match op {
        FpOp::FromSigned | FpOp::FromUnsigned => {
            return from_integer(g, args[0], Format::of(width), op == FpOp::FromSigned);
        }
        FpOp::Eq | FpOp::Lt | FpOp::Le => return Ok(vec![compare(g, op, args[0], args[1])]),
        _ => {}
    }
    let format = Format::of(args[0].len());
    let numbers: Vec<Number> = args.iter().map(|a| Number::unpack(g, format, a)).collect();
    match op {
        FpOp::IsNan => return Ok(vec![numbers[0].nan]),
        FpOp::ToSigned | FpOp::ToUnsigned => {
            return Ok(arith::to_integer(g, &numbers[0], width, op == FpOp::ToSigned));
        }
        FpOp::ToFloat => return convert(g, args[0], format, &numbers[0], Format::of(width)),
        _ => {}
    }
    let value = match op {
        FpOp::Add => add(g, format, &numbers[0], &numbers[1])?,
        FpOp::Sub => {
            let negated = numbers[1].negated();
            add(g, format, &numbers[0], &negated)?
        }
        FpOp::Mul => mul(g, format, &numbers[0], &numbers[1])?,
        FpOp::Div => div(g, format, &numbers[0], &numbers[1])?,
        FpOp::Sqrt => sqrt(g, format, &numbers[0])?,
        FpOp::Fma => fma(g, format, &numbers)?,
        FpOp::RoundToIntegral(mode) => {
            let rounded = arith::to_integral(g, format, &numbers[0], mode)?;
            let unchanged = words::mux(g, numbers[0].infinite, args[0], &rounded);
            Value { bits: unchanged, invalid: FALSE }
        }
        _ => unreachable!("{op:?} is handled above or not supported"),
    };
    Ok(with_nans(g, format, args, &numbers, &value))
}

/// A result before NaN operands are looked at.
struct Value {
    bits: Word,
    /// The operation has no value (∞ − ∞ and the like): the default NaN.
    invalid: Lit,
}

/// The first NaN operand made quiet, the default NaN for an invalid operation, else the value.
fn with_nans(g: &mut Graph, format: Format, args: &[&[Lit]], numbers: &[Number], value: &Value) -> Word {
    let default = format.default_nan();
    let mut result = words::mux(g, value.invalid, &default, &value.bits);
    for (bits, number) in args.iter().zip(numbers).rev() {
        let mut quiet = bits.to_vec();
        quiet[format.quiet_bit()] = TRUE;
        result = words::mux(g, number.nan, &quiet, &result);
    }
    result
}

/// Ordered comparisons: sign and magnitude, with two zeros equal.
fn compare(g: &mut Graph, op: FpOp, a: &[Lit], b: &[Lit]) -> Lit {
    let format = Format::of(a.len());
    let top = a.len() - 1;
    let (nan_a, nan_b) = (format.is_nan(g, a), format.is_nan(g, b));
    let unordered = g.or(nan_a, nan_b);
    let nonzero = g.or_all(a[..top].iter().chain(&b[..top]).copied());
    let result = if op == FpOp::Eq {
        let same = words::eq(g, a, b);
        g.or(same, !nonzero)
    } else {
        // A negative number is less than a positive one; two negative ones compare the other way round.
        let or_equal = op == FpOp::Le;
        let less = words::less(g, &a[..top], &b[..top], or_equal);
        let more = words::less(g, &b[..top], &a[..top], or_equal);
        let same_sign = g.mux(a[top], more, less);
        let differ = g.xor(a[top], b[top]);
        let ordered = g.mux(differ, a[top], same_sign);
        g.mux(nonzero, ordered, Lit::of(or_equal))
    };
    g.and(result, !unordered)
}

fn add(g: &mut Graph, format: Format, a: &Number, b: &Number) -> Result<Value, Stop> {
    let sum = arith::add(g, a, b)?;
    let rounded = round(g, format, &sum)?;
    let differ = g.xor(a.sign, b.sign);
    let both = g.and(a.infinite, b.infinite);
    let invalid = g.and(both, differ);
    let bits = infinite_operand(g, format, a.infinite, a.sign, &rounded);
    let bits = infinite_operand(g, format, b.infinite, b.sign, &bits);
    Ok(Value { bits, invalid })
}

/// An infinity of this sign if `infinite`, else `bits`.
fn infinite_operand(g: &mut Graph, format: Format, infinite: Lit, sign: Lit, bits: &[Lit]) -> Word {
    let infinity = format.infinity(sign);
    words::mux(g, infinite, &infinity, bits)
}

fn mul(g: &mut Graph, format: Format, a: &Number, b: &Number) -> Result<Value, Stop> {
    let product = arith::multiply(g, a, b)?;
    let rounded = round(g, format, &product)?;
    let infinite = g.or(a.infinite, b.infinite);
    let (zero_a, zero_b) = (a.is_zero(g), b.is_zero(g));
    let zero = g.or(zero_a, zero_b);
    let invalid = g.and(infinite, zero);
    let bits = infinite_operand(g, format, infinite, product.sign, &rounded);
    Ok(Value { bits, invalid })
}

fn div(g: &mut Graph, format: Format, a: &Number, b: &Number) -> Result<Value, Stop> {
    let quotient = arith::divide(g, a, b)?;
    let rounded = round(g, format, &quotient)?;
    let (zero_a, zero_b) = (a.is_zero(g), b.is_zero(g));
    let zeros = g.and(zero_a, zero_b);
    let infinities = g.and(a.infinite, b.infinite);
    let invalid = g.or(zeros, infinities);
    let infinite = g.or(a.infinite, zero_b);
    let mut nothing = vec![FALSE; rounded.len() - 1];
    nothing.push(quotient.sign);
    let bits = words::mux(g, b.infinite, &nothing, &rounded);
    let bits = infinite_operand(g, format, infinite, quotient.sign, &bits);
    Ok(Value { bits, invalid })
}

fn sqrt(g: &mut Graph, format: Format, a: &Number) -> Result<Value, Stop> {
    let root = arith::square_root(g, a)?;
    let rounded = round(g, format, &root)?;
    let zero = a.is_zero(g);
    // The root of -0 is -0; any other negative number has none.
    let invalid = g.and(a.sign, !zero);
    let mut itself = vec![FALSE; rounded.len() - 1];
    itself.push(a.sign);
    let bits = words::mux(g, zero, &itself, &rounded);
    let bits = infinite_operand(g, format, a.infinite, FALSE, &bits);
    Ok(Value { bits, invalid })
}

fn fma(g: &mut Graph, format: Format, n: &[Number]) -> Result<Value, Stop> {
    let (a, b, c) = (&n[0], &n[1], &n[2]);
    let product = arith::multiply(g, a, b)?;
    let sum = arith::add_normalised(g, &product, c)?;
    let rounded = round(g, format, &sum)?;
    let infinite = g.or(a.infinite, b.infinite);
    let (zero_a, zero_b) = (a.is_zero(g), b.is_zero(g));
    let zero = g.or(zero_a, zero_b);
    let no_product = g.and(infinite, zero);
    let differ = g.xor(product.sign, c.sign);
    let both = g.and(infinite, c.infinite);
    let opposite = g.and(both, differ);
    let invalid = g.or(no_product, opposite);
    let bits = infinite_operand(g, format, c.infinite, c.sign, &rounded);
    let bits = infinite_operand(g, format, infinite, product.sign, &bits);
    Ok(Value { bits, invalid })
}

fn from_integer(g: &mut Graph, a: &[Lit], format: Format, signed: bool) -> Result<Word, Stop> {
    let sign = if signed { a[a.len() - 1] } else { FALSE };
    let magnitude = words::neg_if(g, sign, a);
    let number = Number {
        sign,
        exponent: vec![FALSE; format.exponent_room(a.len())],
        significand: magnitude,
        nan: FALSE,
        infinite: FALSE,
    };
    round(g, format, &number)
}

/// To another format; a NaN keeps its sign and the leading bits of its payload, and becomes quiet.
fn convert(g: &mut Graph, bits: &[Lit], from: Format, a: &Number, to: Format) -> Result<Word, Stop> {
    let mut number = a.clone();
    let room = to.exponent_room(a.significand.len()).max(a.exponent.len());
    let sign = number.exponent[number.exponent.len() - 1];
    number.exponent.resize(room, sign);
    let rounded = round(g, to, &number)?;
    let finite = infinite_operand(g, to, a.infinite, a.sign, &rounded);
    let payload = &bits[..from.precision - 1];
    let mut nan: Word = Vec::with_capacity(to.width());
    if to.precision >= from.precision {
        nan.resize(to.precision - from.precision, FALSE);
        nan.extend_from_slice(payload);
    } else {
        nan.extend_from_slice(&payload[from.precision - to.precision..]);
    }
    nan.resize(to.width() - 1, TRUE);
    nan.push(a.sign);
    nan[to.quiet_bit()] = TRUE;
    Ok(words::mux(g, a.nan, &nan, &finite))
}
