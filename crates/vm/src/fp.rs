//! Floating-point operations of the bytecode, in every format.
//!
//! Concrete float and double use the host's arithmetic, everything else `forkwise_expr::softfloat`; symbolic half,
//! float and double become expressions, `bfloat` is computed in float and rounded. Symbolic long double and
//! quad values have no expressions: an operation on them ends the path as unsupported, naming itself, except
//! where it only moves bits. Conversions to integers give what x86-64 gives outside the integer's range.
//! Read `intrinsics::fp` for the floating-point intrinsics.

use crate::call::Flow;
use crate::fault::Termination;
use crate::machine::Vm;
use crate::state::State;
use crate::value::{Value, mask};
use forkwise_expr::softfloat::{self, FpFormat as SoftFormat};
use forkwise_expr::{Bits, Expr, FpOp, Op as EOp, semantics};
use forkwise_ir::{FpBin, FpFormat, FpPred, Slot};

/// The format in the words of the expression crate.
pub(crate) fn soft(fmt: FpFormat) -> SoftFormat {
    match fmt {
        FpFormat::Half => SoftFormat::Half,
        FpFormat::BFloat => SoftFormat::BFloat,
        FpFormat::Single => SoftFormat::Single,
        FpFormat::Double => SoftFormat::Double,
        FpFormat::X87 => SoftFormat::X87,
        FpFormat::Quad => SoftFormat::Quad,
    }
}

/// The format in C's words.
pub(crate) fn format_name(fmt: FpFormat) -> &'static str {
    match fmt {
        FpFormat::Half => "_Float16",
        FpFormat::BFloat => "__bf16",
        FpFormat::Single => "float",
        FpFormat::Double => "double",
        FpFormat::X87 => "long double",
        FpFormat::Quad => "__float128",
    }
}

fn operator(op: FpBin) -> FpOp {
    match op {
        FpBin::Add => FpOp::Add,
        FpBin::Sub => FpOp::Sub,
        FpBin::Mul => FpOp::Mul,
        FpBin::Div => FpOp::Div,
        FpBin::Rem => FpOp::Rem,
    }
}

/// What to call an operation in a message.
fn operation_name(op: FpOp) -> &'static str {
    match op {
        FpOp::Add => "addition",
        FpOp::Sub => "subtraction",
        FpOp::Mul => "multiplication",
        FpOp::Div => "division",
        FpOp::Rem => "remainder",
        FpOp::Sqrt => "square root",
        FpOp::Fma => "fused multiply-add",
        FpOp::RoundToIntegral(_) => "rounding to an integral value",
        FpOp::Eq | FpOp::Lt | FpOp::Le | FpOp::IsNan => "comparison",
        FpOp::ToFloat | FpOp::ToSigned | FpOp::ToUnsigned | FpOp::FromSigned | FpOp::FromUnsigned => {
            "conversion"
        }
    }
}

fn unsupported(fmt: FpFormat, op: FpOp) -> Termination {
    Termination::Unsupported(format!("symbolic {} {}", format_name(fmt), operation_name(op)))
}

/// Double arithmetic for the hot loop. NaN results are left to the exact semantics, because the host language
/// leaves their bits open.
#[inline(always)]
pub(crate) fn double_bin(op: FpBin, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let r = match op {
        FpBin::Add => x + y,
        FpBin::Sub => x - y,
        FpBin::Mul => x * y,
        FpBin::Div => x / y,
        FpBin::Rem => x % y,
    };
    if r.is_nan() { nan_result(op, a, b) } else { r.to_bits() }
}

#[cold]
fn nan_result(op: FpBin, a: u64, b: u64) -> u64 {
    semantics::fp_u64(operator(op), 64, 64, &[a, b])
}

/// An operation within one format on concrete values; comparisons give 0 or 1.
pub(crate) fn concrete(fmt: FpFormat, op: FpOp, args: &[u128]) -> u128 {
    match fmt {
        FpFormat::Half | FpFormat::Single | FpFormat::Double => {
            let mut words = [0u64; 3];
            for (w, a) in words.iter_mut().zip(args) {
                *w = *a as u64;
            }
            let w = fmt.bits();
            let result = if op.is_predicate() { 1 } else { w };
            semantics::fp_u64(op, result, w, &words[..args.len()]) as u128
        }
        FpFormat::BFloat => {
            let mut wide = [0u128; 3];
            for (w, a) in wide.iter_mut().zip(args) {
                *w = *a << 16;
            }
            let r = concrete(FpFormat::Single, op, &wide[..args.len()]);
            if op.is_predicate() { r } else { convert(FpFormat::Single, FpFormat::BFloat, r) }
        }
        FpFormat::X87 | FpFormat::Quad => {
            let args: Vec<Bits> = args.iter().map(|a| Bits::from_u128(fmt.bits(), *a)).collect();
            softfloat::fp_op(soft(fmt), op, &args).to_u128()
        }
    }
}

/// Conversion between formats of a concrete value.
pub(crate) fn convert(from: FpFormat, to: FpFormat, v: u128) -> u128 {
    match (from, to) {
        _ if from == to => v,
        (FpFormat::BFloat, FpFormat::Single) => v << 16,
        (FpFormat::BFloat, _) => convert(FpFormat::Single, to, v << 16),
        (FpFormat::Single, FpFormat::Double) | (FpFormat::Double, FpFormat::Single) => {
            semantics::fp_u64(FpOp::ToFloat, to.bits(), from.bits(), &[v as u64]) as u128
        }
        _ => softfloat::fp_convert(soft(from), soft(to), &Bits::from_u128(from.bits(), v)).to_u128(),
    }
}

/// A concrete integer of at most 64 bits as a value of the format.
fn from_word(fmt: FpFormat, w: u32, v: u64, signed: bool) -> u128 {
    let op = if signed { FpOp::FromSigned } else { FpOp::FromUnsigned };
    match fmt {
        FpFormat::Single | FpFormat::Double => semantics::fp_u64(op, fmt.bits(), w, &[v]) as u128,
        _ => from_int(fmt, &Bits::from_u64(w, v), signed),
    }
}

/// A concrete integer of any width as a value of the format.
pub(crate) fn from_int(fmt: FpFormat, v: &Bits, signed: bool) -> u128 {
    match fmt {
        FpFormat::BFloat => convert(FpFormat::Single, fmt, from_int(FpFormat::Single, v, signed)),
        _ => softfloat::fp_from_int(soft(fmt), v, signed).to_u128(),
    }
}

/// Conversion of a concrete value to an integer of `w` bits, toward zero, as [`FpOp::ToSigned`] and
/// [`FpOp::ToUnsigned`] define it.
pub(crate) fn to_int(fmt: FpFormat, v: u128, w: u32, signed: bool) -> Bits {
    softfloat::fp_to_int(soft(fmt), &Bits::from_u128(fmt.bits(), v), w, signed)
}

/// The same for at most 64 bits.
pub(crate) fn to_word(fmt: FpFormat, v: u128, w: u32, signed: bool) -> u64 {
    match fmt {
        FpFormat::Half | FpFormat::Single | FpFormat::Double => {
            let op = if signed { FpOp::ToSigned } else { FpOp::ToUnsigned };
            semantics::fp_u64(op, w, fmt.bits(), &[v as u64])
        }
        _ => to_int(fmt, v, w, signed).low_u64(),
    }
}

/// How x86-64 code converts to an integer of `w` bits: through a wider signed conversion whose low bits are
/// taken, so that results outside the integer's range (undefined in C) are those of the native program.
enum Conversion {
    /// Signed, to this many bits, then cut.
    Signed(u32),
    /// To 64 bits, unsigned.
    Unsigned64,
    /// More than 64 bits: by the expression crate's definition.
    Wide,
}

fn conversion(fmt: FpFormat, signed: bool, w: u32) -> Conversion {
    match (signed, w) {
        (_, 65..) => Conversion::Wide,
        // x87 has a 16-bit conversion.
        (true, ..=16) | (false, ..=8) if fmt == FpFormat::X87 => Conversion::Signed(16),
        (true, ..=32) | (false, ..=16) => Conversion::Signed(32),
        (true, _) | (false, ..=32) => Conversion::Signed(64),
        (false, _) => Conversion::Unsigned64,
    }
}

/// What a signed conversion to 64 bits gives out of range.
const INDEFINITE: u64 = 1 << 63;

/// What an unsigned conversion to 64 bits gives from 2^64 on, and for NaN.
fn beyond_unsigned(fmt: FpFormat) -> u64 {
    // SSE code combines two "indefinite" results by `or`, x87 code by exclusive or.
    if matches!(fmt, FpFormat::X87 | FpFormat::Quad) { 0 } else { INDEFINITE }
}

/// 2^63 and 2^64 in the format (infinity where it cannot hold them).
fn unsigned_bounds(fmt: FpFormat) -> (u128, u128) {
    let power = |n: u32| from_int(fmt, &Bits::from_u128(72, 1 << n), false);
    (power(63), power(64))
}

/// What `fptosi` and `fptoui` give for at most 64 bits.
fn to_word_native(fmt: FpFormat, v: u128, w: u32, signed: bool) -> u64 {
    let r = match conversion(fmt, signed, w) {
        Conversion::Wide => to_word(fmt, v, w, signed),
        Conversion::Signed(n) => to_word(fmt, v, n, true),
        Conversion::Unsigned64 => match to_word(fmt, v, 64, true) {
            INDEFINITE => {
                let (half, whole) = unsigned_bounds(fmt);
                if concrete(fmt, FpOp::Lt, &[v, half]) == 1 {
                    INDEFINITE
                } else if concrete(fmt, FpOp::Lt, &[v, whole]) == 1 {
                    to_word(fmt, v, 64, false)
                } else {
                    beyond_unsigned(fmt)
                }
            }
            in_range => in_range,
        },
    };
    r & mask(w as u8)
}

impl Vm {
    /// The concrete value of the format at `slot`, if no part of it is symbolic.
    #[inline]
    pub(crate) fn fp_value(&self, st: &State, fmt: FpFormat, slot: Slot) -> Option<u128> {
        self.wide_u128(st, slot, fmt.bits())
    }

    /// An operation within one format on expressions.
    pub(crate) fn fp_expr(&mut self, fmt: FpFormat, op: FpOp, args: &[Expr]) -> Result<Expr, Termination> {
        match fmt {
            FpFormat::Half | FpFormat::Single | FpFormat::Double => {
                let w = if op.is_predicate() { 1 } else { fmt.bits() };
                Ok(self.exprs.fp(op, w, args))
            }
            FpFormat::BFloat => {
                let args: Vec<Expr> = args.iter().map(|a| self.bfloat_to_single(*a)).collect();
                let r = self.fp_expr(FpFormat::Single, op, &args)?;
                Ok(if op.is_predicate() { r } else { self.single_to_bfloat(r) })
            }
            FpFormat::X87 | FpFormat::Quad => Err(unsupported(fmt, op)),
        }
    }

    fn bfloat_to_single(&mut self, e: Expr) -> Expr {
        let zero = self.exprs.constant(16, 0);
        self.exprs.concat(e, zero)
    }

    /// Rounds to nearest, ties to even: adding just less than half of the last place carries where it must.
    fn single_to_bfloat(&mut self, e: Expr) -> Expr {
        let magnitude = self.exprs.constant(32, 0x7fff_ffff);
        let infinity = self.exprs.constant(32, 0x7f80_0000);
        let unsigned = self.exprs.and(e, magnitude);
        let is_nan = self.exprs.bin(EOp::Ult, infinity, unsigned);
        let odd = self.exprs.extract(e, 16, 1);
        let odd = self.exprs.zext(odd, 32);
        let almost_half = self.exprs.constant(32, 0x7fff);
        let up = self.exprs.bin(EOp::Add, odd, almost_half);
        let sum = self.exprs.bin(EOp::Add, e, up);
        let rounded = self.exprs.extract(sum, 16, 16);
        let cut = self.exprs.extract(e, 16, 16);
        let quiet = self.exprs.constant(16, 0x40);
        let nan = self.exprs.or(cut, quiet);
        self.exprs.ite(is_nan, nan, rounded)
    }

    /// Arithmetic.
    pub(crate) fn fp_bin(
        &mut self,
        st: &mut State,
        op: FpBin,
        fmt: FpFormat,
        dst: Slot,
        a: Slot,
        b: Slot,
    ) -> Result<Flow, Termination> {
        let w = fmt.bits();
        self.pin_long_double(st, fmt, &[a, b])?;
        if let (Some(x), Some(y)) = (self.fp_value(st, fmt, a), self.fp_value(st, fmt, b)) {
            self.set_wide_u128(st, dst, w, concrete(fmt, operator(op), &[x, y]));
            return Ok(Flow::Next);
        }
        let (x, y) = (self.wide_expr(st, a, w), self.wide_expr(st, b, w));
        let e = self.fp_expr(fmt, operator(op), &[x, y])?;
        self.set_wide(st, dst, w, e);
        Ok(Flow::Next)
    }

    /// Long double has no symbolic arithmetic: symbolic operands get one value, the others end as an unfinished path.
    fn pin_long_double(
        &mut self,
        st: &mut State,
        fmt: FpFormat,
        operands: &[Slot],
    ) -> Result<(), Termination> {
        if !matches!(fmt, FpFormat::X87 | FpFormat::Quad) {
            return Ok(());
        }
        for slot in operands.iter().flat_map(|a| *a..*a + fmt.slots()) {
            let v = st.frame.regs[slot as usize];
            if let Some(e) = v.sym {
                let w = self.exprs.width(e);
                let c = self.concretize_one(st, v, w, "a symbolic long double")?;
                st.frame.regs[slot as usize] = Value::concrete(c);
            }
        }
        Ok(())
    }

    /// Negation: flips the sign, which is the highest bit of the last slot in every format.
    pub(crate) fn fp_neg(
        &mut self,
        st: &mut State,
        fmt: FpFormat,
        dst: Slot,
        a: Slot,
    ) -> Result<Flow, Termination> {
        let (last, w, sign) = sign_position(fmt);
        for i in 0..last {
            st.frame.regs[(dst + i) as usize] = st.frame.regs[(a + i) as usize];
        }
        let v = st.frame.regs[(a + last) as usize];
        st.frame.regs[(dst + last) as usize] = match v.sym {
            None => Value::concrete(v.bits ^ sign),
            Some(_) => self.sym_bin(EOp::Xor, w, v, Value::concrete(sign)),
        };
        Ok(Flow::Next)
    }

    /// Comparison by LLVM's predicates.
    pub(crate) fn fp_cmp(
        &mut self,
        st: &mut State,
        pred: FpPred,
        fmt: FpFormat,
        dst: Slot,
        a: Slot,
        b: Slot,
    ) -> Result<Flow, Termination> {
        self.pin_long_double(st, fmt, &[a, b])?;
        if let (Some(x), Some(y)) = (self.fp_value(st, fmt, a), self.fp_value(st, fmt, b)) {
            let holds = pred.0 & relation(fmt, x, y) != 0;
            st.frame.regs[dst as usize] = Value::concrete(holds as u64);
            return Ok(Flow::Next);
        }
        let w = fmt.bits();
        let (x, y) = (self.wide_expr(st, a, w), self.wide_expr(st, b, w));
        let e = self.fp_relation(fmt, pred.0 & 15, x, y)?;
        st.frame.regs[dst as usize] = self.value_of(e);
        Ok(Flow::Next)
    }

    /// The condition that the relation between two values is in the set `pred` (see [`FpPred`]).
    fn fp_relation(&mut self, fmt: FpFormat, pred: u8, x: Expr, y: Expr) -> Result<Expr, Termination> {
        Ok(match pred {
            0 => self.exprs.bool(false),
            1 => self.fp_expr(fmt, FpOp::Eq, &[x, y])?,
            2 => self.fp_expr(fmt, FpOp::Lt, &[y, x])?,
            3 => self.fp_expr(fmt, FpOp::Le, &[y, x])?,
            4 => self.fp_expr(fmt, FpOp::Lt, &[x, y])?,
            5 => self.fp_expr(fmt, FpOp::Le, &[x, y])?,
            6 => {
                let (less, greater) =
                    (self.fp_expr(fmt, FpOp::Lt, &[x, y])?, self.fp_expr(fmt, FpOp::Lt, &[y, x])?);
                self.exprs.or(less, greater)
            }
            8 => {
                let (p, q) = (self.fp_expr(fmt, FpOp::IsNan, &[x])?, self.fp_expr(fmt, FpOp::IsNan, &[y])?);
                self.exprs.or(p, q)
            }
            // The rest are complements.
            _ => {
                let e = self.fp_relation(fmt, !pred & 15, x, y)?;
                self.exprs.not(e)
            }
        })
    }

    /// fpext and fptrunc.
    pub(crate) fn fp_conv(
        &mut self,
        st: &mut State,
        from: FpFormat,
        to: FpFormat,
        dst: Slot,
        a: Slot,
    ) -> Result<Flow, Termination> {
        self.pin_long_double(st, from, &[a])?;
        if let Some(v) = self.fp_value(st, from, a) {
            self.set_wide_u128(st, dst, to.bits(), convert(from, to, v));
            return Ok(Flow::Next);
        }
        if matches!(to, FpFormat::X87 | FpFormat::Quad) && from.bits() <= 64 {
            let v = st.frame.regs[a as usize];
            let v = self.concretize_one(st, v, from.bits(), "a symbolic number turned into a long double")?;
            self.set_wide_u128(st, dst, to.bits(), convert(from, to, v.into()));
            return Ok(Flow::Next);
        }
        let e = self.wide_expr(st, a, from.bits());
        let e = self.fp_convert_expr(from, to, e)?;
        self.set_wide(st, dst, to.bits(), e);
        Ok(Flow::Next)
    }

    pub(crate) fn fp_convert_expr(
        &mut self,
        from: FpFormat,
        to: FpFormat,
        e: Expr,
    ) -> Result<Expr, Termination> {
        use FpFormat::{BFloat, Double, Half, Single};
        Ok(match (from, to) {
            _ if from == to => e,
            (Half | Single | Double, Half | Single | Double) => self.exprs.fp(FpOp::ToFloat, to.bits(), &[e]),
            (BFloat, Single) => self.bfloat_to_single(e),
            (BFloat, Half | Double) => {
                let e = self.bfloat_to_single(e);
                self.exprs.fp(FpOp::ToFloat, to.bits(), &[e])
            }
            (Single, BFloat) => self.single_to_bfloat(e),
            (Half, BFloat) => {
                let e = self.exprs.fp(FpOp::ToFloat, 32, &[e]);
                self.single_to_bfloat(e)
            }
            // Two roundings would differ from one.
            _ => {
                let (from, to) = (format_name(from), format_name(to));
                return Err(Termination::Unsupported(format!("conversion of a symbolic {from} to {to}")));
            }
        })
    }

    /// fptosi and fptoui.
    pub(crate) fn fp_to_int(
        &mut self,
        st: &mut State,
        signed: bool,
        fmt: FpFormat,
        w: u32,
        dst: Slot,
        a: Slot,
    ) -> Result<Flow, Termination> {
        self.pin_long_double(st, fmt, &[a])?;
        if let Some(v) = self.fp_value(st, fmt, a) {
            if w <= 64 {
                st.frame.regs[dst as usize] = Value::concrete(to_word_native(fmt, v, w, signed));
            } else {
                self.set_wide_bits(st, dst, w, &to_int(fmt, v, w, signed));
            }
            return Ok(Flow::Next);
        }
        let e = self.wide_expr(st, a, fmt.bits());
        let (fmt, e) = self.fp_carrier(fmt, e)?;
        let r = match conversion(fmt, signed, w) {
            Conversion::Wide if signed => self.exprs.fp(FpOp::ToSigned, w, &[e]),
            Conversion::Wide => self.exprs.fp(FpOp::ToUnsigned, w, &[e]),
            Conversion::Signed(n) => self.exprs.fp(FpOp::ToSigned, n, &[e]),
            Conversion::Unsigned64 => {
                let (half, whole) = unsigned_bounds(fmt);
                let half = self.exprs.constant(fmt.bits(), half as u64);
                let whole = self.exprs.constant(fmt.bits(), whole as u64);
                let below_half = self.exprs.fp(FpOp::Lt, 1, &[e, half]);
                let below_whole = self.exprs.fp(FpOp::Lt, 1, &[e, whole]);
                let small = self.exprs.fp(FpOp::ToSigned, 64, &[e]);
                let large = self.exprs.fp(FpOp::ToUnsigned, 64, &[e]);
                let beyond = self.exprs.constant(64, beyond_unsigned(fmt));
                let upper = self.exprs.ite(below_whole, large, beyond);
                self.exprs.ite(below_half, small, upper)
            }
        };
        let r = self.exprs.extract(r, 0, w);
        self.set_wide(st, dst, w, r);
        Ok(Flow::Next)
    }

    /// The value in a format that expressions have: `bfloat` as float, the others as they are.
    pub(crate) fn fp_carrier(&mut self, fmt: FpFormat, e: Expr) -> Result<(FpFormat, Expr), Termination> {
        match fmt {
            FpFormat::Half | FpFormat::Single | FpFormat::Double => Ok((fmt, e)),
            FpFormat::BFloat => Ok((FpFormat::Single, self.bfloat_to_single(e))),
            FpFormat::X87 | FpFormat::Quad => Err(unsupported(fmt, FpOp::ToSigned)),
        }
    }

    /// sitofp and uitofp.
    pub(crate) fn int_to_fp(
        &mut self,
        st: &mut State,
        signed: bool,
        fmt: FpFormat,
        w: u32,
        dst: Slot,
        a: Slot,
    ) -> Result<Flow, Termination> {
        let v = st.frame.regs[a as usize];
        if w <= 64 && v.sym.is_none() {
            self.set_wide_u128(st, dst, fmt.bits(), from_word(fmt, w, v.bits, signed));
            return Ok(Flow::Next);
        }
        if let Some(v) = self.wide_bits(st, a, w) {
            self.set_wide_u128(st, dst, fmt.bits(), from_int(fmt, &v, signed));
            return Ok(Flow::Next);
        }
        if matches!(fmt, FpFormat::X87 | FpFormat::Quad) && w <= 64 {
            let v = self.concretize_one(st, v, w, "a symbolic number turned into a long double")?;
            self.set_wide_u128(st, dst, fmt.bits(), from_word(fmt, w, v, signed));
            return Ok(Flow::Next);
        }
        let e = self.wide_expr(st, a, w);
        let op = if signed { FpOp::FromSigned } else { FpOp::FromUnsigned };
        let r = match fmt {
            FpFormat::Half | FpFormat::Single | FpFormat::Double => self.exprs.fp(op, fmt.bits(), &[e]),
            FpFormat::BFloat => {
                let f = self.exprs.fp(op, 32, &[e]);
                self.single_to_bfloat(f)
            }
            FpFormat::X87 | FpFormat::Quad => {
                let to = format_name(fmt);
                return Err(Termination::Unsupported(format!("conversion of a symbolic integer to {to}")));
            }
        };
        self.set_wide(st, dst, fmt.bits(), r);
        Ok(Flow::Next)
    }
}

/// Where the sign is: (number of the last slot, its width, the bit in it).
pub(crate) fn sign_position(fmt: FpFormat) -> (u32, u32, u64) {
    let last = fmt.slots() - 1;
    let w = fmt.bits() - 64 * last;
    (last, w, mask(w as u8) ^ (mask(w as u8) >> 1))
}

/// The relation that holds, as one bit of [`FpPred`].
fn relation(fmt: FpFormat, x: u128, y: u128) -> u8 {
    use std::cmp::Ordering;
    let order = match fmt {
        FpFormat::Single => f32::from_bits(x as u32).partial_cmp(&f32::from_bits(y as u32)),
        FpFormat::Double => f64::from_bits(x as u64).partial_cmp(&f64::from_bits(y as u64)),
        _ if concrete(fmt, FpOp::Eq, &[x, y]) == 1 => Some(Ordering::Equal),
        _ if concrete(fmt, FpOp::Lt, &[x, y]) == 1 => Some(Ordering::Less),
        _ if concrete(fmt, FpOp::Lt, &[y, x]) == 1 => Some(Ordering::Greater),
        _ => None,
    };
    match order {
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        Some(Ordering::Less) => 4,
        None => 8,
    }
}
