//! IEEE operations on half, float and double (and, through `softfloat`, on 80- and 128-bit values), chosen by
//! operand width, with x86 SSE's treatment of NaN. Float and double use the host's arithmetic, which is exact
//! IEEE; every NaN result is decided here, because the host language leaves its bits open.

use super::word::{mask, sext_u64, to_signed};
use crate::bits::Bits;
use crate::node::{FpOp, RoundingMode, Width};
use crate::softfloat::{self, FpFormat};

/// The operations of one host format, written once for `f32` and `f64`.
macro_rules! host_format {
    ($name:ident, $float:ty, $bits:ty, $precision:expr) => {
        /// An operation within the format; comparisons give 0 or 1.
        fn $name(op: FpOp, args: &[u64]) -> u64 {
            const QUIET: $bits = 1 << ($precision - 2);
            const DEFAULT_NAN: $bits = !0 << ($precision - 2);
            let arg = |i: usize| <$float>::from_bits(args[i] as $bits);
            match op {
                FpOp::Eq => return u64::from(arg(0) == arg(1)),
                FpOp::Lt => return u64::from(arg(0) < arg(1)),
                FpOp::Le => return u64::from(arg(0) <= arg(1)),
                FpOp::IsNan => return u64::from(arg(0).is_nan()),
                _ => {}
            }
            if let Some(i) = (0..args.len()).find(|&i| arg(i).is_nan()) {
                return u64::from(args[i] as $bits | QUIET);
            }
            let result = match op {
                FpOp::Add => arg(0) + arg(1),
                FpOp::Sub => arg(0) - arg(1),
                FpOp::Mul => arg(0) * arg(1),
                FpOp::Div => arg(0) / arg(1),
                FpOp::Rem => arg(0) % arg(1),
                FpOp::Sqrt => arg(0).sqrt(),
                FpOp::Fma => arg(0).mul_add(arg(1), arg(2)),
                FpOp::RoundToIntegral(RoundingMode::NearestEven) => arg(0).round_ties_even(),
                FpOp::RoundToIntegral(RoundingMode::NearestAway) => arg(0).round(),
                FpOp::RoundToIntegral(RoundingMode::Zero) => arg(0).trunc(),
                FpOp::RoundToIntegral(RoundingMode::Up) => arg(0).ceil(),
                FpOp::RoundToIntegral(RoundingMode::Down) => arg(0).floor(),
                _ => panic!("{op:?} is not an operation within one format"),
            };
            u64::from(if result.is_nan() { DEFAULT_NAN } else { result.to_bits() })
        }
    };
}

host_format!(single, f32, u32, 24);
host_format!(double, f64, u64, 53);

fn format(width: Width) -> FpFormat {
    FpFormat::of_width(width).unwrap_or_else(|| panic!("no floating-point format has {width} bits"))
}

fn within_format(op: FpOp, width: Width, args: &[u64]) -> u64 {
    match width {
        32 => single(op, args),
        64 => double(op, args),
        _ => {
            let mut raw = [0u128; 3];
            for (r, &a) in raw.iter_mut().zip(args) {
                *r = u128::from(a);
            }
            softfloat::op_raw(format(width), op, &raw[..args.len()]) as u64
        }
    }
}

fn to_float(from: Width, to: Width, v: u64) -> u64 {
    match (from, to) {
        _ if from == to => v,
        (32, 64) if !f32::from_bits(v as u32).is_nan() => f64::from(f32::from_bits(v as u32)).to_bits(),
        (64, 32) if !f64::from_bits(v).is_nan() => u64::from((f64::from_bits(v) as f32).to_bits()),
        _ => softfloat::convert_raw(format(from), format(to), u128::from(v)) as u64,
    }
}

fn from_int(width: Width, result_width: Width, v: u64, signed: bool) -> u64 {
    match (result_width, signed) {
        (32, true) => u64::from((to_signed(width, v) as f32).to_bits()),
        (32, false) => u64::from((v as f32).to_bits()),
        (64, true) => (to_signed(width, v) as f64).to_bits(),
        (64, false) => (v as f64).to_bits(),
        _ => softfloat::fp_from_int(format(result_width), &Bits::from_u64(width, v), signed).low_u64(),
    }
}

fn to_int(arg_width: Width, result_width: Width, v: u64, signed: bool) -> u64 {
    let x = match arg_width {
        32 => f64::from(f32::from_bits(v as u32)),
        64 => f64::from_bits(v),
        _ => f64::from_bits(to_float(arg_width, 64, v)),
    };
    let whole = x.trunc();
    if signed {
        let bound = 2f64.powi(result_width as i32 - 1);
        if whole >= -bound && whole < bound {
            whole as i64 as u64 & mask(result_width)
        } else {
            1 << (result_width - 1)
        }
    } else if whole >= 0.0 && whole < 2f64.powi(result_width as i32) {
        whole as u64
    } else {
        mask(result_width)
    }
}

/// An operation whose operands, of `arg_width` bits each, and whose result fit 64 bits. `result_width` is that of
/// the node (1 for comparisons).
pub fn fp_u64(op: FpOp, result_width: Width, arg_width: Width, args: &[u64]) -> u64 {
    match op {
        FpOp::ToFloat => to_float(arg_width, result_width, args[0]),
        FpOp::ToSigned => to_int(arg_width, result_width, args[0], true),
        FpOp::ToUnsigned => to_int(arg_width, result_width, args[0], false),
        FpOp::FromSigned => from_int(arg_width, result_width, sext_u64(arg_width, arg_width, args[0]), true),
        FpOp::FromUnsigned => from_int(arg_width, result_width, args[0], false),
        _ => within_format(op, arg_width, args),
    }
}

/// An operation on values of any width.
pub fn fp_bits(op: FpOp, result_width: Width, args: &[Bits]) -> Bits {
    let arg_width = args[0].width();
    if arg_width <= 64 && result_width <= 64 {
        let mut words = [0u64; 3];
        for (w, a) in words.iter_mut().zip(args) {
            *w = a.low_u64();
        }
        return Bits::from_u64(result_width, fp_u64(op, result_width, arg_width, &words[..args.len()]));
    }
    match op {
        FpOp::ToFloat => softfloat::fp_convert(format(arg_width), format(result_width), &args[0]),
        FpOp::ToSigned => softfloat::fp_to_int(format(arg_width), &args[0], result_width, true),
        FpOp::ToUnsigned => softfloat::fp_to_int(format(arg_width), &args[0], result_width, false),
        FpOp::FromSigned => softfloat::fp_from_int(format(result_width), &args[0], true),
        FpOp::FromUnsigned => softfloat::fp_from_int(format(result_width), &args[0], false),
        _ => softfloat::fp_op(format(arg_width), op, args),
    }
}
