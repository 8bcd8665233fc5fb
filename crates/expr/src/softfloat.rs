//! Floating point of every format the machine has (half to quad, x87 included), bit-exact, in software.
//! Arithmetic goes through `rustc_apfloat`; decoding, rounding, conversions, square root and the choice of NaN
//! are here. No host floating point: results are the same on every machine. The fast path for float and double
//! is `semantics::fp`, which must agree with this module (and is tested against it).

use crate::bits::Bits;
use crate::node::{FpOp, RoundingMode, Width};
use crate::semantics::wide;
use rustc_apfloat::{Float, Round, ieee};

/// A binary floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FpFormat {
    /// IEEE binary16.
    Half,
    /// The upper half of a binary32 (`__bf16`).
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// The x87 80-bit format (`long double`): bits 0..64 significand with explicit integer bit, 64..79 exponent,
    /// 79 sign.
    X87,
    /// IEEE binary128.
    Quad,
}

impl FpFormat {
    /// The format of a value of this width; 16 bits are read as [`FpFormat::Half`].
    pub const fn of_width(width: Width) -> Option<FpFormat> {
        match width {
            16 => Some(FpFormat::Half),
            32 => Some(FpFormat::Single),
            64 => Some(FpFormat::Double),
            80 => Some(FpFormat::X87),
            128 => Some(FpFormat::Quad),
            _ => None,
        }
    }

    /// Number of bits of a value.
    pub const fn width(self) -> Width {
        match self {
            FpFormat::Half | FpFormat::BFloat => 16,
            FpFormat::Single => 32,
            FpFormat::Double => 64,
            FpFormat::X87 => 80,
            FpFormat::Quad => 128,
        }
    }

    /// Number of significand bits, the integer bit included.
    pub const fn precision(self) -> u32 {
        match self {
            FpFormat::Half => 11,
            FpFormat::BFloat => 8,
            FpFormat::Single => 24,
            FpFormat::Double => 53,
            FpFormat::X87 => 64,
            FpFormat::Quad => 113,
        }
    }

    /// The largest exponent, which is also the bias.
    pub const fn max_exponent(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    const fn exponent_bits(self) -> u32 {
        self.width() - 1 - self.stored_significand_bits()
    }

    const fn stored_significand_bits(self) -> u32 {
        match self {
            FpFormat::X87 => 64,
            _ => self.precision() - 1,
        }
    }

    const fn sign_bit(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The significand bit that makes a NaN quiet.
    const fn quiet_bit(self) -> u128 {
        1 << (self.precision() - 2)
    }

    const fn integer_bit(self) -> u128 {
        1 << (self.precision() - 1)
    }

    const fn infinity(self) -> u128 {
        let exponent = ((1u128 << self.exponent_bits()) - 1) << self.stored_significand_bits();
        match self {
            FpFormat::X87 => exponent | self.integer_bit(),
            _ => exponent,
        }
    }

    /// What an invalid operation gives: sign and quiet bit set.
    const fn default_nan(self) -> u128 {
        self.sign_bit() | self.infinity() | self.quiet_bit()
    }
}

/// A decoded value. A finite number is `significand * 2^exponent`, exactly.
#[derive(Clone, Copy, Debug)]
enum Number {
    Nan,
    Infinity { negative: bool },
    Finite { negative: bool, significand: u128, exponent: i32 },
}

fn decode(f: FpFormat, v: u128) -> Number {
    let negative = v & f.sign_bit() != 0;
    let stored = f.stored_significand_bits();
    let fraction = v & ((1 << stored) - 1);
    let biased = (v >> stored) as i32 & ((1 << f.exponent_bits()) - 1);
    let top = (1 << f.exponent_bits()) - 1;
    let implicit = if f == FpFormat::X87 { 0 } else { f.integer_bit() };
    // The 8087's unnormals, pseudo-infinities and pseudo-NaNs are invalid operands on everything since the 387.
    if f == FpFormat::X87 && biased != 0 && fraction & f.integer_bit() == 0 {
        return Number::Nan;
    }
    if biased == top {
        let payload = if f == FpFormat::X87 { fraction & !f.integer_bit() } else { fraction };
        return if payload == 0 { Number::Infinity { negative } } else { Number::Nan };
    }
    let significand = if biased == 0 { fraction } else { fraction | implicit };
    let exponent = biased.max(1) - f.max_exponent() - (f.precision() as i32 - 1);
    Number::Finite { negative, significand, exponent }
}

/// The nearest value (ties to even) to `significand * 2^exponent`. `sticky`: the exact value lies strictly between
/// this significand and the next, which must then have more bits than the format.
fn encode(f: FpFormat, negative: bool, significand: u128, exponent: i32, sticky: bool) -> u128 {
    let sign = if negative { f.sign_bit() } else { 0 };
    if significand == 0 {
        debug_assert!(!sticky, "a sticky bit needs a significand");
        return sign;
    }
    let p = f.precision() as i32;
    let length = 128 - significand.leading_zeros() as i32;
    let top = exponent + length - 1;
    if top > f.max_exponent() {
        return sign | f.infinity();
    }
    // The weight of the last place of the result: fixed below the smallest normal number.
    let mut last = top.max(1 - f.max_exponent()) - (p - 1);
    let shift = last - exponent;
    let mut kept = if shift <= 0 {
        debug_assert!(!sticky, "a sticky bit needs more significand bits than the format has");
        significand << -shift
    } else {
        let shift = shift as u32;
        let bit = |i: u32| significand.checked_shr(i).unwrap_or(0) & 1 == 1;
        let below_half = sticky || significand.trailing_zeros() < shift - 1;
        let kept = significand.checked_shr(shift).unwrap_or(0);
        if bit(shift - 1) && (below_half || kept & 1 == 1) { kept + 1 } else { kept }
    };
    if kept == 1 << p {
        kept >>= 1;
        last += 1;
    }
    if kept & f.integer_bit() == 0 {
        return sign | kept;
    }
    let biased = last + (p - 1) + f.max_exponent();
    if biased > 2 * f.max_exponent() {
        return sign | f.infinity();
    }
    let fraction = if f == FpFormat::X87 { kept } else { kept & !f.integer_bit() };
    sign | (biased as u128) << f.stored_significand_bits() | fraction
}

fn is_nan(f: FpFormat, v: u128) -> bool {
    matches!(decode(f, v), Number::Nan)
}

/// An x87 encoding with a non-zero exponent and no integer bit: an invalid operand.
fn is_unsupported(f: FpFormat, v: u128) -> bool {
    f == FpFormat::X87 && v & f.integer_bit() == 0 && v >> 64 & 0x7fff != 0
}

/// The NaN an operation gives when an operand is NaN. SSE (and our reading for quad): the first NaN operand. x87:
/// the NaN with the larger significand, quiet ones before signalling ones. The result is quiet.
fn propagate_nan(f: FpFormat, args: &[u128]) -> Option<u128> {
    let mut chosen: Option<u128> = None;
    for &v in args.iter().filter(|&&v| is_nan(f, v)) {
        if f != FpFormat::X87 {
            return Some(v | f.quiet_bit());
        }
        if is_unsupported(f, v) {
            return Some(f.default_nan());
        }
        let rank = |v: u128| (v & f.quiet_bit() != 0, v as u64, v & f.sign_bit() == 0);
        if chosen.is_none_or(|c| rank(v) > rank(c)) {
            chosen = Some(v);
        }
    }
    chosen.map(|v| v | f.quiet_bit())
}

fn round(mode: RoundingMode) -> Round {
    match mode {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::Zero => Round::TowardZero,
        RoundingMode::Up => Round::TowardPositive,
        RoundingMode::Down => Round::TowardNegative,
    }
}

/// Arithmetic of one format; no operand is NaN.
fn arithmetic<F: Float>(op: FpOp, args: &[u128]) -> F {
    let arg = |i: usize| F::from_bits(args[i]);
    let nearest = Round::NearestTiesToEven;
    match op {
        FpOp::Add => arg(0).add_r(arg(1), nearest).value,
        FpOp::Sub => arg(0).sub_r(arg(1), nearest).value,
        FpOp::Mul => arg(0).mul_r(arg(1), nearest).value,
        FpOp::Div => arg(0).div_r(arg(1), nearest).value,
        FpOp::Rem => arg(0).c_fmod(arg(1)).value,
        FpOp::Fma => arg(0).mul_add_r(arg(1), arg(2), nearest).value,
        FpOp::RoundToIntegral(mode) => arg(0).round_to_integral(round(mode)).value,
        _ => panic!("{op:?} is not arithmetic within one format"),
    }
}

/// Square root of a finite non-negative number, correctly rounded: one root bit at a time from pairs of radicand
/// bits, so that 113-bit significands need no wider integers.
fn square_root(f: FpFormat, significand: u128, exponent: i32) -> u128 {
    if significand == 0 {
        return 0;
    }
    let p = f.precision();
    let up = significand.leading_zeros() - (128 - p);
    let (sig, exponent) = (significand << up, exponent - up as i32);
    // The radicand is sig * 2^k, with k so that the root has p + 1 bits and the exponent that remains is even.
    let k = if (exponent - p as i32) % 2 == 0 { p + 2 } else { p + 1 };
    let bit = |i: u32| if i < k { 0 } else { sig.checked_shr(i - k).unwrap_or(0) & 1 };
    let (mut root, mut rem) = (0u128, 0u128);
    for i in (0..=p).rev() {
        rem = rem << 2 | bit(2 * i + 1) << 1 | bit(2 * i);
        let trial = root << 2 | 1;
        root <<= 1;
        if rem >= trial {
            rem -= trial;
            root |= 1;
        }
    }
    encode(f, false, root, (exponent - k as i32) / 2, rem != 0)
}

/// Compares two numbers; `None` when one is NaN.
fn compare(f: FpFormat, a: u128, b: u128) -> Option<std::cmp::Ordering> {
    if is_nan(f, a) || is_nan(f, b) {
        return None;
    }
    // Sign and magnitude order like integers; both zeros are equal.
    let key = |v: u128| {
        let magnitude = (v & !f.sign_bit()) as i128;
        if v & f.sign_bit() != 0 { -magnitude } else { magnitude }
    };
    Some(key(a).cmp(&key(b)))
}

/// [`fp_op`] on raw encodings.
pub(crate) fn op_raw(f: FpFormat, op: FpOp, args: &[u128]) -> u128 {
    use std::cmp::Ordering::{Equal, Less};
    match op {
        FpOp::Eq => return u128::from(compare(f, args[0], args[1]) == Some(Equal)),
        FpOp::Lt => return u128::from(compare(f, args[0], args[1]) == Some(Less)),
        FpOp::Le => return u128::from(matches!(compare(f, args[0], args[1]), Some(Less | Equal))),
        FpOp::IsNan => return u128::from(is_nan(f, args[0])),
        _ => {}
    }
    if let Some(nan) = propagate_nan(f, args) {
        return nan;
    }
    if op == FpOp::Sqrt {
        return match decode(f, args[0]) {
            Number::Finite { significand: 0, .. } | Number::Infinity { negative: false } => args[0],
            Number::Finite { negative: false, significand, exponent } => {
                square_root(f, significand, exponent)
            }
            _ => f.default_nan(),
        };
    }
    let result = match f {
        FpFormat::Half => arithmetic::<ieee::Half>(op, args).to_bits(),
        FpFormat::BFloat => arithmetic::<ieee::BFloat>(op, args).to_bits(),
        FpFormat::Single => arithmetic::<ieee::Single>(op, args).to_bits(),
        FpFormat::Double => arithmetic::<ieee::Double>(op, args).to_bits(),
        FpFormat::X87 => arithmetic::<ieee::X87DoubleExtended>(op, args).to_bits(),
        FpFormat::Quad => arithmetic::<ieee::Quad>(op, args).to_bits(),
    };
    if is_nan(f, result) { f.default_nan() } else { result }
}

/// [`fp_convert`] on raw encodings.
pub(crate) fn convert_raw(from: FpFormat, to: FpFormat, v: u128) -> u128 {
    let sign = if v & from.sign_bit() != 0 { to.sign_bit() } else { 0 };
    match decode(from, v) {
        Number::Infinity { .. } => sign | to.infinity(),
        Number::Finite { negative, significand, exponent } => {
            encode(to, negative, significand, exponent, false)
        }
        Number::Nan if is_unsupported(from, v) => to.default_nan(),
        Number::Nan => {
            // The payload keeps its most significant bits.
            let payload = v & (from.integer_bit() - 1);
            let moved = if to.precision() >= from.precision() {
                payload << (to.precision() - from.precision())
            } else {
                payload >> (from.precision() - to.precision())
            };
            sign | to.infinity() | to.quiet_bit() | moved
        }
    }
}

fn checked(f: FpFormat, v: &Bits) -> u128 {
    assert_eq!(v.width(), f.width(), "operand of another width than {f:?}");
    v.to_u128()
}

/// An operation within one format: arithmetic, square root, rounding (result in the same format), and comparisons
/// (result of width 1).
///
/// # Panics
/// When `op` is a conversion, or an operand has the wrong width or is missing.
pub fn fp_op(format: FpFormat, op: FpOp, args: &[Bits]) -> Bits {
    let raw: Vec<u128> = args.iter().map(|v| checked(format, v)).collect();
    let width = if op.is_predicate() { 1 } else { format.width() };
    Bits::from_u128(width, op_raw(format, op, &raw))
}

/// Converts between formats, to nearest even. A NaN stays one, quiet, with the leading bits of its payload.
pub fn fp_convert(from: FpFormat, to: FpFormat, v: &Bits) -> Bits {
    Bits::from_u128(to.width(), convert_raw(from, to, checked(from, v)))
}

/// Converts to an integer of `width` bits, toward zero. Out of range or NaN: only the sign bit set when `signed`,
/// else all ones.
pub fn fp_to_int(format: FpFormat, v: &Bits, width: Width, signed: bool) -> Bits {
    let ones = |n: Width| wide::un_bits(crate::Op::Not, &Bits::from_u64(n, 0));
    let invalid = || match (signed, width) {
        (true, 1) | (false, _) => ones(width),
        (true, _) => wide::concat_bits(&Bits::from_u64(1, 1), &Bits::from_u64(width - 1, 0)),
    };
    let Number::Finite { negative, significand, exponent } = decode(format, checked(format, v)) else {
        return invalid();
    };
    let whole = if exponent >= 0 {
        significand
    } else {
        significand.checked_shr(exponent.unsigned_abs()).unwrap_or(0)
    };
    if whole == 0 {
        return Bits::from_u64(width, 0);
    }
    let shift = exponent.max(0) as u32;
    let length = 128 - whole.leading_zeros() + shift;
    let fits = match (signed, negative) {
        (false, true) => false,
        (false, false) => length <= width,
        (true, false) => length < width,
        // -2^(width - 1) is the one value whose magnitude needs all bits.
        (true, true) => length < width || length == width && whole.is_power_of_two(),
    };
    if !fits {
        return invalid();
    }
    // 128 more bits than the length, so that the shift below cannot lose any.
    let room = width.max(length).max(128);
    let shifted = wide::bin_bits(
        crate::Op::Shl,
        &Bits::from_u128(room, whole),
        &Bits::from_u64(room, u64::from(shift)),
    );
    let magnitude = wide::extract_bits(&shifted, 0, width);
    if negative { wide::un_bits(crate::Op::Neg, &magnitude) } else { magnitude }
}

/// Converts an integer of any width to the format, to nearest even.
pub fn fp_from_int(format: FpFormat, v: &Bits, signed: bool) -> Bits {
    let negative = signed && v.bit(v.width() - 1);
    let magnitude = if negative { wide::un_bits(crate::Op::Neg, v) } else { v.clone() };
    let length = magnitude.bit_length();
    let raw = if length <= 128 {
        encode(format, negative, magnitude.to_u128(), 0, false)
    } else {
        let cut = length - 128;
        let top = wide::extract_bits(&magnitude, cut, 128).to_u128();
        let sticky = !wide::extract_bits(&magnitude, 0, cut).is_zero();
        encode(format, negative, top, cut as i32, sticky)
    };
    Bits::from_u128(format.width(), raw)
}
