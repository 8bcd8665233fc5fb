//! Floating-point operations in SMT-LIB's theory, with the bits of every result pinned down.
//!
//! Operands are bit-vectors read as floats; a result is a fresh bit-vector constrained to be the encoding of the
//! theory's value. NaN results, whose bits the theory leaves open, and conversions out of range, which it leaves
//! unspecified, get the values documented at `forkwise_expr::FpOp`.

use super::text::{Printer, constant};
use forkwise_expr::{Expr, FpOp, RoundingMode};
use std::fmt::Write;

/// A format: bits of exponent and of significand (the hidden one included).
#[derive(Clone, Copy)]
struct Format {
    width: u32,
    exponent: u32,
    significand: u32,
}

impl Format {
    fn of(width: u32) -> Result<Format, String> {
        let (exponent, significand) = match width {
            16 => (5, 11),
            32 => (8, 24),
            64 => (11, 53),
            128 => (15, 113),
            _ => {
                return Err(format!(
                    "symbolic {width}-bit floating point has no SMT-LIB form; use double instead of long double"
                ));
            }
        };
        Ok(Format { width, exponent, significand })
    }

    fn read(self, bits: &str) -> String {
        format!("((_ to_fp {} {}) {bits})", self.exponent, self.significand)
    }

    /// The bits of ±2^k, if that is a finite number of the format.
    fn power(self, k: u32, negative: bool) -> Option<String> {
        let bias = (1u32 << (self.exponent - 1)) - 1;
        let exponent = bias + k;
        (k <= bias).then(|| {
            let low = self.significand - 1;
            let bits = constant(self.width, |i| match i {
                i if i == self.width - 1 => negative,
                i if i >= low => exponent >> (i - low) & 1 == 1,
                _ => false,
            });
            self.read(&bits)
        })
    }

    fn quiet_bit(self) -> String {
        constant(self.width, |i| i == self.significand - 2)
    }

    fn default_nan(self) -> String {
        constant(self.width, |i| i >= self.significand - 2)
    }
}

fn mode(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "RNE",
        RoundingMode::NearestAway => "RNA",
        RoundingMode::Zero => "RTZ",
        RoundingMode::Up => "RTP",
        RoundingMode::Down => "RTN",
    }
}

/// The body of the definition of `e`; helper definitions are written before it.
pub(super) fn print(p: &mut Printer<'_>, e: Expr, op: FpOp, args: &[Expr]) -> Result<String, String> {
    let width = p.ex.width(e);
    let bits: Vec<String> = args.iter().map(|&a| p.name(a)).collect();
    if matches!(op, FpOp::FromSigned | FpOp::FromUnsigned) {
        let format = Format::of(width)?;
        let convert = if op == FpOp::FromSigned { "to_fp" } else { "to_fp_unsigned" };
        let value = format!("((_ {convert} {} {}) RNE {})", format.exponent, format.significand, bits[0]);
        return Ok(encoding(p, e, format, &value, &format.default_nan()));
    }
    let format = Format::of(p.ex.width(args[0]))?;
    let arg: Vec<String> = bits.iter().map(|b| format.read(b)).collect();
    let predicate = |text: String| Ok(format!("(ite {text} #b1 #b0)"));
    let value = match op {
        FpOp::Eq => return predicate(format!("(fp.eq {} {})", arg[0], arg[1])),
        FpOp::Lt => return predicate(format!("(fp.lt {} {})", arg[0], arg[1])),
        FpOp::Le => return predicate(format!("(fp.leq {} {})", arg[0], arg[1])),
        FpOp::IsNan => return predicate(format!("(fp.isNaN {})", arg[0])),
        FpOp::ToSigned | FpOp::ToUnsigned => {
            return Ok(to_integer(format, &arg[0], width, op == FpOp::ToSigned));
        }
        FpOp::ToFloat => return convert(p, e, format, &bits[0], &arg[0]),
        FpOp::Add => format!("(fp.add RNE {} {})", arg[0], arg[1]),
        FpOp::Sub => format!("(fp.sub RNE {} {})", arg[0], arg[1]),
        FpOp::Mul => format!("(fp.mul RNE {} {})", arg[0], arg[1]),
        FpOp::Div => format!("(fp.div RNE {} {})", arg[0], arg[1]),
        FpOp::Sqrt => format!("(fp.sqrt RNE {})", arg[0]),
        FpOp::Fma => format!("(fp.fma RNE {} {} {})", arg[0], arg[1], arg[2]),
        FpOp::RoundToIntegral(m) => format!("(fp.roundToIntegral {} {})", mode(m), arg[0]),
        FpOp::Rem => fmod(p, e, format, &arg),
        FpOp::FromSigned | FpOp::FromUnsigned => unreachable!("handled above"),
    };
    // The first NaN operand, made quiet; else the default NaN.
    let mut nan = format.default_nan();
    for (b, a) in bits.iter().zip(&arg).rev() {
        nan = format!("(ite (fp.isNaN {a}) (bvor {b} {}) {nan})", format.quiet_bit());
    }
    Ok(encoding(p, e, format, &value, &nan))
}

/// A fresh bit-vector that encodes `value`; `nan` are its bits if the value is NaN.
fn encoding(p: &mut Printer<'_>, e: Expr, format: Format, value: &str, nan: &str) -> String {
    let n = e.index();
    p.define_as(&format!("f{n}"), value);
    let _ = writeln!(p.declarations, "(declare-const v{n} (_ BitVec {}))", format.width);
    let encodes = format.read(&format!("v{n}"));
    let _ = write!(p.side_conditions, " (ite (fp.isNaN f{n}) (= v{n} {nan}) (= {encodes} f{n}))");
    format!("v{n}")
}

/// C's `fmod` by IEEE's remainder, which rounds the quotient to nearest: a negative remainder of the magnitudes is
/// one divisor too low. The sum is exact, and the result has the dividend's sign.
fn fmod(p: &mut Printer<'_>, e: Expr, format: Format, arg: &[String]) -> String {
    let (x, y) = (&arg[0], &arg[1]);
    let n = e.index();
    p.define_as(&format!("q{n}"), &format!("(fp.rem (fp.abs {x}) (fp.abs {y}))"));
    let zero = format!("(_ +zero {} {})", format.exponent, format.significand);
    p.define_as(
        &format!("m{n}"),
        &format!(
            "(ite (fp.isZero q{n}) {zero} (ite (fp.isNegative q{n}) (fp.add RNE q{n} (fp.abs {y})) q{n}))"
        ),
    );
    format!("(ite (fp.isNegative {x}) (fp.neg m{n}) m{n})")
}

fn to_integer(format: Format, x: &str, width: u32, signed: bool) -> String {
    let whole = format!("(fp.roundToIntegral RTZ {x})");
    let finite = format!("(not (or (fp.isNaN {x}) (fp.isInfinite {x})))");
    let top = if signed { width - 1 } else { width };
    let below = format.power(top, false).map(|bound| format!("(fp.lt {whole} {bound})"));
    let above = match signed {
        true => format.power(top, true).map(|bound| format!("(fp.geq {whole} {bound})")),
        // -0.5 truncates to -0, which is not below zero.
        false => Some(format!("(fp.geq {whole} (_ +zero {} {}))", format.exponent, format.significand)),
    };
    let tests: Vec<String> = [Some(finite), below, above].into_iter().flatten().collect();
    let (name, invalid) = match signed {
        true => ("fp.to_sbv", constant(width, |i| i == width - 1)),
        false => ("fp.to_ubv", constant(width, |_| true)),
    };
    format!("(ite (and {}) ((_ {name} {width}) RTZ {x}) {invalid})", tests.join(" "))
}

/// To another format; a NaN keeps its sign and the leading bits of its payload, and becomes quiet.
fn convert(p: &mut Printer<'_>, e: Expr, from: Format, bits: &str, x: &str) -> Result<String, String> {
    let to = Format::of(p.ex.width(e))?;
    let value = format!("((_ to_fp {} {}) RNE {x})", to.exponent, to.significand);
    let payload_bits = from.significand - 1;
    let payload = format!("((_ extract {} 0) {bits})", payload_bits - 1);
    let moved = if to.significand >= from.significand {
        let zeros = to.significand - from.significand;
        if zeros == 0 { payload } else { format!("(concat {payload} {})", constant(zeros, |_| false)) }
    } else {
        format!("((_ extract {} {}) {bits})", payload_bits - 1, from.significand - to.significand)
    };
    let ones = constant(to.exponent, |_| true);
    let sign = format!("((_ extract {0} {0}) {bits})", from.width - 1);
    let nan = format!("(bvor (concat {sign} {ones} {moved}) {})", to.quiet_bit());
    Ok(encoding(p, e, to, &value, &nan))
}
