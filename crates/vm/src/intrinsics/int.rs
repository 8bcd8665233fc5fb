//! Integer intrinsics: arithmetic with overflow, saturation, minimum and maximum, counting and moving bits.
//!
//! `concrete` computes up to 128 bits on the host, `symbolic` builds expressions of any width. Both are total:
//! results that LLVM calls poison (oversized saturating shifts, the absolute value of the least number) have the
//! one value that falls out of the definition.

use super::argument;
use crate::fault::Termination;
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;
use crate::wide::{mask128, sext128, slot_count};
use forkwise_expr::{Bits, Expr, Exprs, Op};
use forkwise_ir::{ArgType, CallSite, Intrinsic, Slot};

/// Number of operands that count (flags such as "zero is poison" do not).
fn arity(id: Intrinsic) -> usize {
    use Intrinsic::*;
    match id {
        Abs | Ctpop | Ctlz | Cttz | Bswap | Bitreverse => 1,
        Fshl | Fshr => 3,
        _ => 2,
    }
}

impl Vm {
    pub(super) fn int_intrinsic(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        w: u32,
        dst: Slot,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let (w, result_width) = match (id, site.args.first(), &site.ret) {
            // The result of a three-way comparison has a type of its own.
            (Intrinsic::SCmp | Intrinsic::UCmp, Some(ArgType::Int(a)), Some(ArgType::Int(r))) => (*a, *r),
            _ => (w, w),
        };
        let n = arity(id);
        let mut slots = [0; 3];
        for (i, s) in slots.iter_mut().enumerate().take(n) {
            *s = argument(site, i)?;
        }
        let slots = &slots[..n];
        if w <= 128 && result_width <= 128 {
            let mut values = [0u128; 3];
            let all = slots.iter().zip(&mut values).all(|(s, v)| {
                let known = self.wide_u128(st, *s, w);
                *v = known.unwrap_or(0);
                known.is_some()
            });
            if all {
                let (r, overflow) = concrete(id, w, result_width, &values[..n]);
                self.set_wide_u128(st, dst, result_width, r);
                if let Some(o) = overflow {
                    st.frame.regs[(dst + slot_count(w)) as usize] = Value::concrete(o as u64);
                }
                return Ok(());
            }
        }
        let args: Vec<Expr> = slots.iter().map(|s| self.operand(st, *s, w)).collect();
        let (r, overflow) = symbolic(&mut self.exprs, id, w, result_width, &args);
        self.set_wide(st, dst, result_width, r);
        if let Some(o) = overflow {
            st.frame.regs[(dst + slot_count(w)) as usize] = self.value_of(o);
        }
        Ok(())
    }
}

/// Value and, for the arithmetic with overflow, the overflow bit; operands have `w` (at most 128) bits.
pub(super) fn concrete(id: Intrinsic, w: u32, result_width: u32, args: &[u128]) -> (u128, Option<bool>) {
    use Intrinsic::*;
    let m = mask128(w);
    let sign = 1u128 << (w - 1);
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(0));
    let (x, y) = (sext128(a, w), sext128(b, w));
    let signed = |(r, o): (i128, bool)| (r as u128 & m, o || sext128(r as u128 & m, w) != r);
    let unsigned = |(r, o): (u128, bool)| (r & m, o || r > m);
    let saturated = if x < 0 { sign } else { m ^ sign };
    let with_overflow = |(r, o): (u128, bool)| (r, Some(o));
    let shift = |v: u128, by: u128| if by < w as u128 { v << by & m } else { 0 };
    // Funnel shifts take their amount modulo the width.
    let amount = |c: u128| (c % w as u128) as u32;
    let funnel = |hi: u128, lo: u128, left: u32| match left {
        0 => hi,
        s => (hi << s | lo >> (w - s)) & m,
    };
    let plain = match id {
        SAddOverflow => return with_overflow(signed(x.overflowing_add(y))),
        UAddOverflow => return with_overflow(unsigned(a.overflowing_add(b))),
        SSubOverflow => return with_overflow(signed(x.overflowing_sub(y))),
        USubOverflow => return (a.wrapping_sub(b) & m, Some(a < b)),
        SMulOverflow => return with_overflow(signed(x.overflowing_mul(y))),
        UMulOverflow => return with_overflow(unsigned(a.overflowing_mul(b))),
        SAddSat | SSubSat => {
            let (r, o) = signed(if id == SAddSat { x.overflowing_add(y) } else { x.overflowing_sub(y) });
            if o { saturated } else { r }
        }
        UAddSat => {
            let (r, o) = unsigned(a.overflowing_add(b));
            if o { m } else { r }
        }
        USubSat => a.saturating_sub(b),
        SShlSat => {
            let r = shift(a, b);
            let back = sext128(r, w) >> b.min(w as u128 - 1);
            if back != x { saturated } else { r }
        }
        UShlSat => {
            let r = shift(a, b);
            let back = if b < w as u128 { r >> b } else { 0 };
            if back != a { m } else { r }
        }
        SMin => x.min(y) as u128 & m,
        SMax => x.max(y) as u128 & m,
        UMin => a.min(b),
        UMax => a.max(b),
        Abs => x.wrapping_abs() as u128 & m,
        Ctpop => a.count_ones() as u128,
        Ctlz => (a.leading_zeros() - (128 - w)) as u128,
        Cttz => a.trailing_zeros().min(w) as u128,
        Bswap => a.swap_bytes() >> (128 - w),
        Bitreverse => a.reverse_bits() >> (128 - w),
        Fshl => funnel(a, b, amount(args[2])),
        Fshr => match amount(args[2]) {
            0 => b,
            s => funnel(a, b, w - s),
        },
        SCmp => three_way(x < y, x > y, result_width),
        UCmp => three_way(a < b, a > b, result_width),
        other => panic!("{other:?} is not an integer intrinsic"),
    };
    (plain, None)
}

/// -1, 0 or 1 in `w` bits.
fn three_way(less: bool, greater: bool, w: u32) -> u128 {
    if less { mask128(w) } else { greater as u128 }
}

/// The same on expressions of any width.
pub(super) fn symbolic(
    ex: &mut Exprs,
    id: Intrinsic,
    w: u32,
    result_width: u32,
    args: &[Expr],
) -> (Expr, Option<Expr>) {
    use Intrinsic::*;
    let a = args[0];
    let b = args.get(1).copied().unwrap_or(a);
    let choose = |ex: &mut Exprs, op: Op, x: Expr, y: Expr| {
        let less = ex.bin(op, x, y);
        ex.ite(less, a, b)
    };
    let plain = match id {
        SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
            let (r, o) = overflowing(ex, id, w, a, b);
            return (r, Some(o));
        }
        SAddSat | SSubSat => {
            let (r, o) = overflowing(ex, if id == SAddSat { SAddOverflow } else { SSubOverflow }, w, a, b);
            let limit = saturated(ex, w, a);
            ex.ite(o, limit, r)
        }
        UAddSat => {
            let (r, o) = overflowing(ex, UAddOverflow, w, a, b);
            let ones = all_ones(ex, w);
            ex.ite(o, ones, r)
        }
        USubSat => {
            let (r, o) = overflowing(ex, USubOverflow, w, a, b);
            let zero = ex.constant(w, 0);
            ex.ite(o, zero, r)
        }
        SShlSat | UShlSat => {
            let r = ex.bin(Op::Shl, a, b);
            let back = ex.bin(if id == SShlSat { Op::AShr } else { Op::LShr }, r, b);
            let same = ex.eq(back, a);
            let limit = if id == SShlSat { saturated(ex, w, a) } else { all_ones(ex, w) };
            ex.ite(same, r, limit)
        }
        SMin => choose(ex, Op::Slt, a, b),
        SMax => choose(ex, Op::Slt, b, a),
        UMin => choose(ex, Op::Ult, a, b),
        UMax => choose(ex, Op::Ult, b, a),
        Abs => {
            let negative = ex.extract(a, w - 1, 1);
            let negated = ex.neg(a);
            ex.ite(negative, negated, a)
        }
        Ctpop => population(ex, w, a),
        Ctlz => leading_zeros(ex, w, a),
        Cttz => {
            let reversed = reverse(ex, w, a, 1);
            leading_zeros(ex, w, reversed)
        }
        Bswap => reverse(ex, w, a, 8),
        Bitreverse => reverse(ex, w, a, 1),
        Fshl | Fshr => funnel(ex, id == Fshl, w, a, b, args[2]),
        SCmp | UCmp => {
            let less = ex.bin(if id == SCmp { Op::Slt } else { Op::Ult }, a, b);
            let equal = ex.eq(a, b);
            let minus_one = all_ones(ex, result_width);
            let (zero, one) = (ex.constant(result_width, 0), ex.constant(result_width, 1));
            let rest = ex.ite(equal, zero, one);
            ex.ite(less, minus_one, rest)
        }
        other => panic!("{other:?} is not an integer intrinsic"),
    };
    (plain, None)
}

fn all_ones(ex: &mut Exprs, w: u32) -> Expr {
    let zero = ex.constant(w, 0);
    ex.not(zero)
}

/// Only the sign bit set.
fn least(ex: &mut Exprs, w: u32) -> Expr {
    let mut limbs = vec![0u64; slot_count(w) as usize];
    limbs[(w as usize - 1) / 64] = 1 << ((w - 1) % 64);
    ex.constant_bits(&Bits::from_limbs(w, &limbs))
}

/// The least or greatest signed value, on the side of zero where `a` is.
fn saturated(ex: &mut Exprs, w: u32, a: Expr) -> Expr {
    let negative = ex.extract(a, w - 1, 1);
    let least = least(ex, w);
    let greatest = ex.not(least);
    ex.ite(negative, least, greatest)
}

fn overflowing(ex: &mut Exprs, id: Intrinsic, w: u32, a: Expr, b: Expr) -> (Expr, Expr) {
    use Intrinsic::*;
    match id {
        SAddOverflow | SSubOverflow => {
            let add = id == SAddOverflow;
            let r = ex.bin(if add { Op::Add } else { Op::Sub }, a, b);
            // Overflow: the result's sign differs from that of the first operand, and the second pushed that way.
            let (sa, sb, sr) = (ex.extract(a, w - 1, 1), ex.extract(b, w - 1, 1), ex.extract(r, w - 1, 1));
            let flipped = ex.bin(Op::Xor, sa, sr);
            let differ = ex.bin(Op::Xor, sa, sb);
            let pushed = if add { ex.not(differ) } else { differ };
            (r, ex.and(flipped, pushed))
        }
        UAddOverflow => {
            let r = ex.bin(Op::Add, a, b);
            (r, ex.bin(Op::Ult, r, a))
        }
        USubOverflow => (ex.bin(Op::Sub, a, b), ex.bin(Op::Ult, a, b)),
        _ => {
            let signed = id == SMulOverflow;
            let r = ex.bin(Op::Mul, a, b);
            let factor = ex.const_u64(b).map(|c| (a, c)).or_else(|| ex.const_u64(a).map(|c| (b, c)));
            let o = match factor {
                Some((x, c)) if signed => signed_product_overflows(ex, w, x, c),
                Some((x, c)) => unsigned_product_overflows(ex, w, x, c),
                None if signed => {
                    let (x, y) = (ex.sext(a, 2 * w), ex.sext(b, 2 * w));
                    let full = ex.bin(Op::Mul, x, y);
                    let low = ex.extract(full, 0, w);
                    let fits = ex.sext(low, 2 * w);
                    let same = ex.eq(full, fits);
                    ex.not(same)
                }
                None => {
                    let (x, y) = (ex.zext(a, 2 * w), ex.zext(b, 2 * w));
                    let full = ex.bin(Op::Mul, x, y);
                    let high = ex.extract(full, w, w);
                    let zero = ex.constant(w, 0);
                    let none = ex.eq(high, zero);
                    ex.not(none)
                }
            };
            (r, o)
        }
    }
}

/// Does x times a known factor overflow? A comparison instead of a product of twice the width.
fn unsigned_product_overflows(ex: &mut Exprs, w: u32, x: Expr, c: u64) -> Expr {
    match (mask128(w) as u64).checked_div(c) {
        None => ex.bool(false),
        Some(greatest) => {
            let k = ex.constant(w, greatest);
            ex.bin(Op::Ult, k, x)
        }
    }
}

fn signed_product_overflows(ex: &mut Exprs, w: u32, x: Expr, c: u64) -> Expr {
    let c = sext128(c as u128, w);
    let (least, greatest) = (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1);
    // Division toward zero rounds both bounds inwards.
    let (low, high) = match c {
        0 => return ex.bool(false),
        1.. => (least / c, greatest / c),
        _ => (greatest / c, least / c),
    };
    let fits = |v: i128| v.clamp(least, greatest) as u64;
    let (low, high) = (ex.constant(w, fits(low)), ex.constant(w, fits(high)));
    let (below, above) = (ex.bin(Op::Slt, x, low), ex.bin(Op::Slt, high, x));
    ex.or(below, above)
}

/// The number of ones: a tree of additions, each one bit wider than its operands.
fn population(ex: &mut Exprs, w: u32, a: Expr) -> Expr {
    let mut counts: Vec<Expr> = (0..w).map(|i| ex.extract(a, i, 1)).collect();
    while counts.len() > 1 {
        let mut next = Vec::with_capacity(counts.len().div_ceil(2));
        for pair in counts.chunks(2) {
            next.push(match *pair {
                [x, y] => {
                    let n = ex.width(x).max(ex.width(y)) + 1;
                    let (x, y) = (ex.zext(x, n), ex.zext(y, n));
                    ex.bin(Op::Add, x, y)
                }
                _ => pair[0],
            });
        }
        counts = next;
    }
    fit(ex, counts[0], w)
}

/// Zero-extended or cut to `w` bits; what is cut is known to be zero.
fn fit(ex: &mut Exprs, e: Expr, w: u32) -> Expr {
    if ex.width(e) > w { ex.extract(e, 0, w) } else { ex.zext(e, w) }
}

/// Leading zeros by halving: is the upper half zero, and go on with the half that decides.
fn leading_zeros(ex: &mut Exprs, w: u32, a: Expr) -> Expr {
    let whole = w.next_power_of_two();
    let mut x = a;
    if whole > w {
        // Ones below make the count stop at `w`.
        let ones = all_ones(ex, whole - w);
        x = ex.concat(x, ones);
    }
    let mut half = whole / 2;
    let mut count: Option<Expr> = None;
    while half > 0 {
        let (high, low) = (ex.extract(x, half, half), ex.extract(x, 0, half));
        let zero = ex.constant(half, 0);
        let empty = ex.eq(high, zero);
        x = ex.ite(empty, low, high);
        count = Some(match count {
            Some(c) => ex.concat(c, empty),
            None => empty,
        });
        half /= 2;
    }
    let last = ex.not(x);
    match count {
        None => last,
        Some(c) => {
            let n = ex.width(c) + 1;
            let (c, last) = (ex.zext(c, n), ex.zext(last, n));
            let sum = ex.bin(Op::Add, c, last);
            fit(ex, sum, w)
        }
    }
}

/// The pieces of `n` bits in reverse order.
fn reverse(ex: &mut Exprs, w: u32, a: Expr, n: u32) -> Expr {
    let mut out = ex.extract(a, 0, n);
    for i in 1..w / n {
        let piece = ex.extract(a, i * n, n);
        out = ex.concat(out, piece);
    }
    out
}

fn funnel(ex: &mut Exprs, left: bool, w: u32, a: Expr, b: Expr, c: Expr) -> Expr {
    let by = if w.is_power_of_two() {
        let m = ex.constant(w, w as u64 - 1);
        ex.and(c, m)
    } else {
        let k = ex.constant(w, w as u64);
        ex.bin(Op::URem, c, k)
    };
    if let Some(s) = ex.bits(by) {
        let s = s.low_u64() as u32;
        return match (left, s) {
            (true, 0) => a,
            (false, 0) => b,
            _ => {
                let from_b = if left { s } else { w - s };
                let (high, low) = (ex.extract(a, 0, w - from_b), ex.extract(b, w - from_b, from_b));
                ex.concat(high, low)
            }
        };
    }
    // Two shifts, so that an amount of zero does not shift by the whole width.
    let one = ex.constant(w, 1);
    let top = ex.constant(w, w as u64 - 1);
    let rest = ex.bin(Op::Sub, top, by);
    let (high, low) = if left {
        let high = ex.bin(Op::Shl, a, by);
        let low = ex.bin(Op::LShr, b, one);
        (high, ex.bin(Op::LShr, low, rest))
    } else {
        let high = ex.bin(Op::Shl, a, one);
        (ex.bin(Op::Shl, high, rest), ex.bin(Op::LShr, b, by))
    };
    ex.or(high, low)
}
