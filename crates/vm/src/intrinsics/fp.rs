//! Floating-point intrinsics. What only moves or tests bits works on every format, symbolic or not; arithmetic on
//! symbolic long double and quad values ends the path as unsupported (see `crate::fp`, which also defines what
//! an operation on concrete values gives). Nothing here may use host floating point.

use super::argument;
use crate::fault::{Fault, FaultKind, Termination};
use crate::fp::{concrete, format_name, sign_position, to_int};
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;
use crate::wide::{mask128, sext128};
use forkwise_expr::{Bits, Expr, Exprs, FpOp, Op, RoundingMode};
use forkwise_ir::{ArgType, CallSite, FpFormat, Intrinsic, Slot};
use rustc_apfloat::{Float, Round, ieee};

/// The format that an operation's `w` stands for.
fn format(w: u32) -> Option<FpFormat> {
    use FpFormat::*;
    [Half, BFloat, Single, Double, X87, Quad].into_iter().find(|f| *f as u32 == w)
}

/// The operator of an intrinsic that is one.
fn single_operator(id: Intrinsic) -> Option<FpOp> {
    Some(match id {
        Intrinsic::Sqrt => FpOp::Sqrt,
        Intrinsic::Fma => FpOp::Fma,
        Intrinsic::Floor => FpOp::RoundToIntegral(RoundingMode::Down),
        Intrinsic::Ceil => FpOp::RoundToIntegral(RoundingMode::Up),
        Intrinsic::FpTrunc => FpOp::RoundToIntegral(RoundingMode::Zero),
        Intrinsic::Round => FpOp::RoundToIntegral(RoundingMode::NearestAway),
        Intrinsic::RoundEven | Intrinsic::Rint => FpOp::RoundToIntegral(RoundingMode::NearestEven),
        _ => return None,
    })
}

impl Vm {
    pub(super) fn fp_intrinsic(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        w: u32,
        dst: Slot,
        site: &CallSite,
    ) -> Result<(), Termination> {
        use Intrinsic::*;
        let saturating = matches!(id, FpToSiSat | FpToUiSat);
        let from_site = match site.args.first() {
            Some(ArgType::Float(f)) => Some(*f),
            _ => None,
        };
        let Some(fmt) = (if saturating { from_site } else { format(w) }) else {
            return Err(Termination::Internal(format!("{id:?} without a floating-point format")));
        };
        check_types(id, fmt, site)?;
        let a = argument(site, 0)?;
        if let Some(op) = single_operator(id) {
            return self.fp_operator(st, op, fmt, dst, site);
        }
        match id {
            Fabs => self.fabs(st, fmt, dst, a),
            Copysign => {
                let b = argument(site, 1)?;
                self.copysign(st, fmt, dst, a, b);
            }
            MinNum | MaxNum | Minimum | Maximum => {
                let b = argument(site, 1)?;
                self.fp_choose(st, id, fmt, dst, a, b)?;
            }
            Ldexp => {
                let exponent_width = match site.args.get(1) {
                    Some(ArgType::Int(n)) => (*n).min(64),
                    _ => 32,
                };
                let n = argument(site, 1)?;
                self.ldexp(st, fmt, dst, a, n, exponent_width)?;
            }
            IsFpClass => {
                let test = st.frame.regs[argument(site, 1)? as usize].bits as u32;
                st.frame.regs[dst as usize] = match self.fp_value(st, fmt, a) {
                    Some(v) => Value::concrete((test >> class_of(fmt, v) & 1) as u64),
                    None => {
                        let e = self.operand(st, a, fmt.bits());
                        let e = in_class(&mut self.exprs, fmt, test, e);
                        self.value_of(e)
                    }
                };
            }
            Lrint | Lround => {
                let mode = if id == Lrint { RoundingMode::NearestEven } else { RoundingMode::NearestAway };
                let n = int_result(site).unwrap_or(64);
                self.round_to_int(st, mode, fmt, n, dst, a)?;
            }
            FpToSiSat | FpToUiSat => self.fp_to_int_saturated(st, id == FpToSiSat, fmt, w, dst, a)?,
            other => {
                return Err(Termination::Internal(format!("{other:?} is not a floating-point intrinsic")));
            }
        }
        Ok(())
    }

    fn fp_operator(
        &mut self,
        st: &mut State,
        op: FpOp,
        fmt: FpFormat,
        dst: Slot,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let n = op.arity();
        let mut slots = [0; 3];
        let mut values = [0; 3];
        let mut known = true;
        for i in 0..n {
            slots[i] = argument(site, i)?;
            match self.fp_value(st, fmt, slots[i]) {
                Some(v) => values[i] = v,
                None => known = false,
            }
        }
        let w = fmt.bits();
        if known {
            self.set_wide_u128(st, dst, w, concrete(fmt, op, &values[..n]));
            return Ok(());
        }
        let args: Vec<Expr> = slots[..n].iter().map(|s| self.operand(st, *s, w)).collect();
        let e = self.fp_expr(fmt, op, &args)?;
        self.set_wide(st, dst, w, e);
        Ok(())
    }

    /// Copies all slots but the last, which holds the sign; gives that one's value and width and the sign bit.
    fn copy_below_sign(
        &mut self,
        st: &mut State,
        fmt: FpFormat,
        dst: Slot,
        a: Slot,
    ) -> (u32, u32, u64, Value) {
        let (last, w, sign) = sign_position(fmt);
        for i in 0..last {
            st.frame.regs[(dst + i) as usize] = st.frame.regs[(a + i) as usize];
        }
        (last, w, sign, st.frame.regs[(a + last) as usize])
    }

    fn fabs(&mut self, st: &mut State, fmt: FpFormat, dst: Slot, a: Slot) {
        let (last, w, sign, v) = self.copy_below_sign(st, fmt, dst, a);
        st.frame.regs[(dst + last) as usize] = match v.sym {
            None => Value::concrete(v.bits & !sign),
            Some(_) => self.sym_bin(Op::And, w, v, Value::concrete(sign - 1)),
        };
    }

    fn copysign(&mut self, st: &mut State, fmt: FpFormat, dst: Slot, a: Slot, b: Slot) {
        let (last, _, _) = sign_position(fmt);
        let from = st.frame.regs[(b + last) as usize];
        let (last, w, sign, v) = self.copy_below_sign(st, fmt, dst, a);
        st.frame.regs[(dst + last) as usize] = match (v.sym, from.sym) {
            (None, None) => Value::concrete(v.bits & !sign | from.bits & sign),
            _ => {
                let (v, from) = (self.expr_of(v, w), self.expr_of(from, w));
                let (high, low) = (self.exprs.extract(from, w - 1, 1), self.exprs.extract(v, 0, w - 1));
                let e = self.exprs.concat(high, low);
                self.value_of(e)
            }
        };
    }

    fn fp_choose(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        fmt: FpFormat,
        dst: Slot,
        a: Slot,
        b: Slot,
    ) -> Result<(), Termination> {
        let w = fmt.bits();
        if let (Some(x), Some(y)) = (self.fp_value(st, fmt, a), self.fp_value(st, fmt, b)) {
            self.set_wide_u128(st, dst, w, choose(id, fmt, x, y));
            return Ok(());
        }
        let (x, y) = (self.operand(st, a, w), self.operand(st, b, w));
        let x_nan = self.fp_expr(fmt, FpOp::IsNan, &[x])?;
        let smaller = matches!(id, Intrinsic::MinNum | Intrinsic::Minimum);
        let (p, q) = if smaller { (y, x) } else { (x, y) };
        let y_wins = self.fp_expr(fmt, FpOp::Lt, &[p, q])?;
        let e = if matches!(id, Intrinsic::MinNum | Intrinsic::MaxNum) {
            let r = self.exprs.ite(y_wins, y, x);
            self.exprs.ite(x_nan, y, r)
        } else {
            let y_nan = self.fp_expr(fmt, FpOp::IsNan, &[y])?;
            let equal = self.fp_expr(fmt, FpOp::Eq, &[x, y])?;
            // Equal values differ at most in the sign of zero.
            let same = self.exprs.bin(if smaller { Op::Or } else { Op::And }, x, y);
            let quiet = self.exprs.constant_bits(&Bits::from_u128(w, quiet_bit(fmt)));
            let (x_quiet, y_quiet) = (self.exprs.or(x, quiet), self.exprs.or(y, quiet));
            let r = self.exprs.ite(y_wins, y, x);
            let r = self.exprs.ite(equal, same, r);
            let r = self.exprs.ite(y_nan, y_quiet, r);
            self.exprs.ite(x_nan, x_quiet, r)
        };
        self.set_wide(st, dst, w, e);
        Ok(())
    }

    fn ldexp(
        &mut self,
        st: &mut State,
        fmt: FpFormat,
        dst: Slot,
        a: Slot,
        n: Slot,
        exponent_width: u32,
    ) -> Result<(), Termination> {
        let by = st.frame.regs[n as usize];
        if let (Some(v), None) = (self.fp_value(st, fmt, a), by.sym) {
            let by = sext128(by.bits as u128, exponent_width).clamp(-MAX_SCALE as i128, MAX_SCALE as i128);
            self.set_wide_u128(st, dst, fmt.bits(), scaled(fmt, v, by as i32));
            return Ok(());
        }
        let x = self.operand(st, a, fmt.bits());
        let n = self.operand(st, n, exponent_width);
        let n = clamp_exponent(&mut self.exprs, n);
        let e = match fmt {
            FpFormat::Single | FpFormat::Double => scale(&mut self.exprs, fmt, x, n),
            // Narrower formats scale exactly in float, and then are rounded once.
            FpFormat::Half | FpFormat::BFloat => {
                let wide = self.fp_convert_expr(fmt, FpFormat::Single, x)?;
                let r = scale(&mut self.exprs, FpFormat::Single, wide, n);
                self.fp_convert_expr(FpFormat::Single, fmt, r)?
            }
            FpFormat::X87 | FpFormat::Quad => {
                return Err(Termination::Unsupported(format!(
                    "symbolic {} scaling (ldexp)",
                    format_name(fmt)
                )));
            }
        };
        self.set_wide(st, dst, fmt.bits(), e);
        Ok(())
    }

    fn round_to_int(
        &mut self,
        st: &mut State,
        mode: RoundingMode,
        fmt: FpFormat,
        n: u32,
        dst: Slot,
        a: Slot,
    ) -> Result<(), Termination> {
        if let Some(v) = self.fp_value(st, fmt, a) {
            let whole = concrete(fmt, FpOp::RoundToIntegral(mode), &[v]);
            self.set_wide_bits(st, dst, n, &to_int(fmt, whole, n, true));
            return Ok(());
        }
        let x = self.operand(st, a, fmt.bits());
        let (carrier, x) = self.fp_carrier(fmt, x)?;
        let whole = self.exprs.fp(FpOp::RoundToIntegral(mode), carrier.bits(), &[x]);
        let e = self.exprs.fp(FpOp::ToSigned, n, &[whole]);
        self.set_wide(st, dst, n, e);
        Ok(())
    }

    fn fp_to_int_saturated(
        &mut self,
        st: &mut State,
        signed: bool,
        fmt: FpFormat,
        w: u32,
        dst: Slot,
        a: Slot,
    ) -> Result<(), Termination> {
        if let Some(v) = self.fp_value(st, fmt, a) {
            self.set_wide_bits(st, dst, w, &saturated(signed, fmt, v, w));
            return Ok(());
        }
        let x = self.operand(st, a, fmt.bits());
        let (fmt, x) = self.fp_carrier(fmt, x)?;
        let ex = &mut self.exprs;
        let nan = ex.fp(FpOp::IsNan, 1, &[x]);
        let negative = ex.extract(x, fmt.bits() - 1, 1);
        let zero = ex.constant(w, 0);
        let e = if signed {
            // The conversion marks "out of range" by the least value, which is right on the negative side.
            let r = ex.fp(FpOp::ToSigned, w, &[x]);
            let one = ex.constant(1, 1);
            let least = if w == 1 {
                one
            } else {
                let low = ex.constant(w - 1, 0);
                ex.concat(one, low)
            };
            let greatest = ex.not(least);
            let marked = ex.eq(r, least);
            let positive = ex.not(negative);
            let too_large = ex.and(marked, positive);
            let r = ex.ite(too_large, greatest, r);
            ex.ite(nan, zero, r)
        } else {
            let r = ex.fp(FpOp::ToUnsigned, w, &[x]);
            let none = ex.or(nan, negative);
            ex.ite(none, zero, r)
        };
        self.set_wide(st, dst, w, e);
        Ok(())
    }
}

/// Library functions that are intrinsics may be called through a wrong declaration: then slots are missing.
fn check_types(id: Intrinsic, fmt: FpFormat, site: &CallSite) -> Result<(), Termination> {
    use Intrinsic::*;
    let (operands, result) = match id {
        Copysign | MinNum | MaxNum | Minimum | Maximum => (2, fmt.slots()),
        Fma => (3, fmt.slots()),
        IsFpClass | Lrint | Lround | FpToSiSat | FpToUiSat => (1, 1),
        _ => (1, fmt.slots()),
    };
    let fits = (0..operands).all(|i| site.args.get(i) == Some(&ArgType::Float(fmt)));
    if fits && site.ret_slots >= result {
        return Ok(());
    }
    let what = format!("a function of {} is called with other types", format_name(fmt));
    Err(Fault::new(FaultKind::BadCall, what).end())
}

fn int_result(site: &CallSite) -> Option<u32> {
    match site.ret {
        Some(ArgType::Int(n)) => Some(n),
        _ => None,
    }
}

/// minnum and maxnum as x86-64 code computes them (the other operand where one is NaN; for equal operands the
/// first), minimum and maximum by IEEE 754-2019.
fn choose(id: Intrinsic, fmt: FpFormat, x: u128, y: u128) -> u128 {
    let nan = |v| concrete(fmt, FpOp::IsNan, &[v]) == 1;
    let smaller = matches!(id, Intrinsic::MinNum | Intrinsic::Minimum);
    let y_wins = concrete(fmt, FpOp::Lt, &if smaller { [y, x] } else { [x, y] }) == 1;
    if matches!(id, Intrinsic::MinNum | Intrinsic::MaxNum) {
        return if nan(x) || y_wins { y } else { x };
    }
    if nan(x) {
        x | quiet_bit(fmt)
    } else if nan(y) {
        y | quiet_bit(fmt)
    } else if concrete(fmt, FpOp::Eq, &[x, y]) == 1 {
        if smaller { x | y } else { x & y }
    } else if y_wins {
        y
    } else {
        x
    }
}

/// Layout of a format: bits of the fraction (without the integer bit) and of the exponent.
fn layout(fmt: FpFormat) -> (u32, u32) {
    match fmt {
        FpFormat::Half => (10, 5),
        FpFormat::BFloat => (7, 8),
        FpFormat::Single => (23, 8),
        FpFormat::Double => (52, 11),
        FpFormat::X87 => (63, 15),
        FpFormat::Quad => (112, 15),
    }
}

fn quiet_bit(fmt: FpFormat) -> u128 {
    1 << (layout(fmt).0 - 1)
}

fn saturated(signed: bool, fmt: FpFormat, v: u128, w: u32) -> Bits {
    let negative = v >> (fmt.bits() - 1) & 1 == 1;
    if concrete(fmt, FpOp::IsNan, &[v]) == 1 || (!signed && negative) {
        return Bits::from_u64(w, 0);
    }
    let r = to_int(fmt, v, w, signed);
    let marked = signed && r.bit(w - 1) && r.limbs().iter().map(|l| l.count_ones()).sum::<u32>() == 1;
    if marked && !negative {
        let limbs: Vec<u64> = r.limbs().iter().map(|l| !l).collect();
        return Bits::from_limbs(w, &limbs);
    }
    r
}

// ---- classes

/// The number of a value's class in the test mask of `llvm.is.fpclass`.
fn class_of(fmt: FpFormat, v: u128) -> u32 {
    let (fraction_bits, exponent_bits) = layout(fmt);
    let stored = fmt.bits() - 1 - exponent_bits;
    let negative = v >> (fmt.bits() - 1) & 1 == 1;
    let fraction = v & mask128(fraction_bits);
    let exponent = v >> stored & mask128(exponent_bits);
    let integer_bit = fmt != FpFormat::X87 || v >> 63 & 1 == 1;
    let by_sign = |minus: u32, plus: u32| if negative { minus } else { plus };
    if exponent == 0 {
        let zero = v & mask128(stored) == 0;
        return if zero { by_sign(5, 6) } else { by_sign(4, 7) };
    }
    // The 8087's unnormal numbers are invalid operands: signalling.
    if !integer_bit {
        return 0;
    }
    match (exponent == mask128(exponent_bits), fraction) {
        (false, _) => by_sign(3, 8),
        (true, 0) => by_sign(2, 9),
        (true, f) => (f & quiet_bit(fmt) != 0) as u32,
    }
}

/// Is the value of `e` in one of the classes of the mask?
fn in_class(ex: &mut Exprs, fmt: FpFormat, test: u32, e: Expr) -> Expr {
    let (fraction_bits, exponent_bits) = layout(fmt);
    let stored = fmt.bits() - 1 - exponent_bits;
    let is_zero = |ex: &mut Exprs, x: Expr| {
        let zero = ex.constant(ex.width(x), 0);
        ex.eq(x, zero)
    };
    let negative = ex.extract(e, fmt.bits() - 1, 1);
    let exponent = ex.extract(e, stored, exponent_bits);
    let fraction = ex.extract(e, 0, fraction_bits);
    let significand = ex.extract(e, 0, stored);
    let quiet = ex.extract(e, fraction_bits - 1, 1);
    let integer_bit = if fmt == FpFormat::X87 { ex.extract(e, 63, 1) } else { ex.bool(true) };
    let lowest = is_zero(ex, exponent);
    let inverted = ex.not(exponent);
    let highest = is_zero(ex, inverted);
    let highest = ex.and(highest, integer_bit);
    let no_fraction = is_zero(ex, fraction);
    let no_significand = is_zero(ex, significand);

    let not = |ex: &mut Exprs, x: Expr| ex.not(x);
    let (some_fraction, some_significand) = (not(ex, no_fraction), not(ex, no_significand));
    let not_lowest = not(ex, lowest);
    let zero = ex.and(lowest, no_significand);
    let subnormal = ex.and(lowest, some_significand);
    let infinite = ex.and(highest, no_fraction);
    let nan = ex.and(highest, some_fraction);
    let not_highest = not(ex, highest);
    let normal = ex.and(not_lowest, not_highest);
    let normal = ex.and(normal, integer_bit);
    let quiet_nan = ex.and(nan, quiet);
    let loud = not(ex, quiet);
    let signalling = ex.and(nan, loud);
    let no_integer_bit = not(ex, integer_bit);
    let invalid = ex.and(not_lowest, no_integer_bit);
    let signalling = ex.or(signalling, invalid);
    let positive = not(ex, negative);

    let mut any = ex.bool(false);
    for (bit, class) in [(0, signalling), (1, quiet_nan)] {
        if test >> bit & 1 == 1 {
            any = ex.or(any, class);
        }
    }
    for (minus, plus, class) in [(2, 9, infinite), (3, 8, normal), (4, 7, subnormal), (5, 6, zero)] {
        let hit = match (test >> minus & 1 == 1, test >> plus & 1 == 1) {
            (true, true) => class,
            (true, false) => ex.and(class, negative),
            (false, true) => ex.and(class, positive),
            (false, false) => continue,
        };
        any = ex.or(any, hit);
    }
    any
}

// ---- scaling by a power of two

/// No format needs more to get from its least value to infinity.
const MAX_SCALE: i32 = 1 << 16;

/// `v * 2^n`, rounded once.
fn scaled(fmt: FpFormat, v: u128, n: i32) -> u128 {
    fn by<F: Float>(v: u128, n: i32) -> u128 {
        F::from_bits(v).scalbn_r(n, Round::NearestTiesToEven).to_bits()
    }
    if concrete(fmt, FpOp::IsNan, &[v]) == 1 {
        return concrete(fmt, FpOp::Add, &[v, v]);
    }
    match fmt {
        FpFormat::Half => by::<ieee::Half>(v, n),
        FpFormat::BFloat => by::<ieee::BFloat>(v, n),
        FpFormat::Single => by::<ieee::Single>(v, n),
        FpFormat::Double => by::<ieee::Double>(v, n),
        FpFormat::X87 => by::<ieee::X87DoubleExtended>(v, n),
        FpFormat::Quad => by::<ieee::Quad>(v, n),
    }
}

/// The exponent as 32 bits, within the range that matters.
fn clamp_exponent(ex: &mut Exprs, n: Expr) -> Expr {
    let w = ex.width(n).max(32);
    let n = ex.sext(n, w);
    let low = ex.constant(w, -MAX_SCALE as i64 as u64);
    let high = ex.constant(w, MAX_SCALE as u64);
    let (below, above) = (ex.bin(Op::Slt, n, low), ex.bin(Op::Slt, high, n));
    let n = ex.ite(below, low, n);
    let n = ex.ite(above, high, n);
    ex.extract(n, 0, 32)
}

/// `x * 2^n` by at most three multiplications with powers of two that the format has. The steps down leave room
/// for all bits, so that only the last one rounds a result that is not zero anyway.
fn scale(ex: &mut Exprs, fmt: FpFormat, x: Expr, n: Expr) -> Expr {
    let (fraction_bits, exponent_bits) = layout(fmt);
    let greatest = (1i32 << (exponent_bits - 1)) - 1;
    let least = 1 - greatest;
    let w = fmt.bits();
    let constant = |ex: &mut Exprs, v: i32| ex.constant(32, v as i64 as u64);
    let power = |ex: &mut Exprs, e: i32| ex.constant(w, ((e + greatest) as u64) << fraction_bits);
    let (up, down) = (greatest, least + fraction_bits as i32 + 1);
    let (k_up, k_down) = (constant(ex, up), constant(ex, down));
    let k_least = constant(ex, least);
    let (p_up, p_down) = (power(ex, up), power(ex, down));
    let (mut x, mut n) = (x, n);
    for _ in 0..2 {
        let too_high = ex.bin(Op::Slt, k_up, n);
        let too_low = ex.bin(Op::Slt, n, k_least);
        let one = power(ex, 0);
        let factor = ex.ite(too_low, p_down, one);
        let factor = ex.ite(too_high, p_up, factor);
        let zero = constant(ex, 0);
        let step = ex.ite(too_low, k_down, zero);
        let step = ex.ite(too_high, k_up, step);
        if factor != one {
            x = ex.fp(FpOp::Mul, w, &[x, factor]);
        }
        n = ex.bin(Op::Sub, n, step);
    }
    let too_high = ex.bin(Op::Slt, k_up, n);
    let too_low = ex.bin(Op::Slt, n, k_least);
    let n = ex.ite(too_low, k_least, n);
    let n = ex.ite(too_high, k_up, n);
    let bias = constant(ex, greatest);
    let biased = ex.bin(Op::Add, n, bias);
    let biased = ex.extract(biased, 0, exponent_bits);
    let fraction = ex.constant(fraction_bits, 0);
    let sign = ex.constant(1, 0);
    let high = ex.concat(sign, biased);
    let factor = ex.concat(high, fraction);
    ex.fp(FpOp::Mul, w, &[x, factor])
}
