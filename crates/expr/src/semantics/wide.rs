//! Operators on values of any width, as little-endian 64-bit limbs. The same total meaning as in `word`, to which
//! narrow values are handed, so the two cannot drift apart. Never used on the hot path of narrow values.

use super::word;
use crate::bits::Bits;
use crate::node::{Op, Width};

fn limb_count(width: Width) -> usize {
    width.div_ceil(64) as usize
}

fn is_zero(a: &Bits) -> bool {
    a.limbs().iter().all(|&l| l == 0)
}

fn sign(a: &Bits) -> bool {
    a.bit(a.width() - 1)
}

fn not(a: &Bits) -> Bits {
    let limbs: Vec<u64> = a.limbs().iter().map(|l| !l).collect();
    Bits::from_limbs(a.width(), &limbs)
}

fn add_with_carry(a: &Bits, b: &Bits, mut carry: bool) -> Bits {
    let mut out = Vec::with_capacity(a.limbs().len());
    for (&x, &y) in a.limbs().iter().zip(b.limbs()) {
        let (s, c1) = x.overflowing_add(y);
        let (s, c2) = s.overflowing_add(u64::from(carry));
        out.push(s);
        carry = c1 | c2;
    }
    Bits::from_limbs(a.width(), &out)
}

fn neg(a: &Bits) -> Bits {
    add_with_carry(&not(a), &Bits::from_u64(a.width(), 0), true)
}

fn sub(a: &Bits, b: &Bits) -> Bits {
    add_with_carry(a, &not(b), true)
}

fn mul(a: &Bits, b: &Bits) -> Bits {
    let n = a.limbs().len();
    let mut out = vec![0u64; n];
    for (i, &x) in a.limbs().iter().enumerate() {
        let mut carry = 0u128;
        for (j, &y) in b.limbs()[..n - i].iter().enumerate() {
            let t = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + carry;
            out[i + j] = t as u64;
            carry = t >> 64;
        }
    }
    Bits::from_limbs(a.width(), &out)
}

fn ult(a: &Bits, b: &Bits) -> bool {
    a.limbs().iter().rev().lt(b.limbs().iter().rev())
}

fn slt(a: &Bits, b: &Bits) -> bool {
    match (sign(a), sign(b)) {
        (x, y) if x != y => x,
        _ => ult(a, b),
    }
}

/// Quotient and remainder; the divisor is not zero.
fn divide(a: &Bits, b: &Bits) -> (Bits, Bits) {
    let w = a.width();
    if w <= 128 {
        let (x, y) = (a.to_u128(), b.to_u128());
        return (Bits::from_u128(w, x / y), Bits::from_u128(w, x % y));
    }
    // Shift and subtract, a bit at a time: wider than 128 bits is rare enough for the simplest correct way. One
    // more bit than the width, because the partial remainder doubles before it is reduced.
    let divisor = zext_bits(b, w + 1);
    let mut rem = Bits::from_u64(w + 1, 0);
    let mut quotient = vec![0u64; limb_count(w)];
    for i in (0..w).rev() {
        rem = shl(&rem, 1);
        if a.bit(i) {
            rem = add_with_carry(&rem, &Bits::from_u64(w + 1, 1), false);
        }
        if !ult(&rem, &divisor) {
            rem = sub(&rem, &divisor);
            quotient[(i / 64) as usize] |= 1 << (i % 64);
        }
    }
    (Bits::from_limbs(w, &quotient), extract_bits(&rem, 0, w))
}

fn magnitude(a: &Bits) -> Bits {
    if sign(a) { neg(a) } else { a.clone() }
}

fn shl(a: &Bits, by: u32) -> Bits {
    let n = a.limbs().len();
    let (limb, bit) = ((by / 64) as usize, by % 64);
    let source = |i: usize| i.checked_sub(limb).map_or(0, |i| a.limbs()[i]);
    let out: Vec<u64> = (0..n)
        .map(|i| {
            let below = if bit == 0 || i == 0 { 0 } else { source(i - 1) >> (64 - bit) };
            source(i) << bit | below
        })
        .collect();
    Bits::from_limbs(a.width(), &out)
}

/// The shift amount if it is smaller than the width.
fn shift_amount(a: &Bits, by: &Bits) -> Option<u32> {
    let high = by.limbs()[1..].iter().any(|&l| l != 0);
    (!high && by.low_u64() < u64::from(a.width())).then(|| by.low_u64() as u32)
}

fn all_ones(width: Width) -> Bits {
    Bits::from_limbs(width, &vec![u64::MAX; limb_count(width)])
}

/// Bits `lo .. lo + width`.
pub fn extract_bits(a: &Bits, lo: u32, width: Width) -> Bits {
    debug_assert!(lo + width <= a.width(), "extract {lo}+{width} of {} bits", a.width());
    let (limb, bit) = ((lo / 64) as usize, lo % 64);
    let src = a.limbs();
    let out: Vec<u64> = (limb..limb + limb_count(width))
        .map(|i| {
            let low = src.get(i).copied().unwrap_or(0) >> bit;
            let high = if bit == 0 { 0 } else { src.get(i + 1).copied().unwrap_or(0) << (64 - bit) };
            low | high
        })
        .collect();
    Bits::from_limbs(width, &out)
}

/// `hi` above `lo`.
pub fn concat_bits(hi: &Bits, lo: &Bits) -> Bits {
    let width = hi.width() + lo.width();
    let high = shl(&zext_bits(hi, width), lo.width());
    let limbs: Vec<u64> = high.limbs().iter().zip(zext_bits(lo, width).limbs()).map(|(a, b)| a | b).collect();
    Bits::from_limbs(width, &limbs)
}

/// Zero extension (or, narrower, truncation).
pub fn zext_bits(a: &Bits, width: Width) -> Bits {
    Bits::from_limbs(width, a.limbs())
}

/// Sign extension.
pub fn sext_bits(a: &Bits, width: Width) -> Bits {
    if !sign(a) || width == a.width() {
        return zext_bits(a, width);
    }
    concat_bits(&all_ones(width - a.width()), a)
}

/// A unary operator ([`Op::Not`], [`Op::Neg`]).
///
/// # Panics
/// When `op` is not unary.
pub fn un_bits(op: Op, a: &Bits) -> Bits {
    match op {
        Op::Not => not(a),
        Op::Neg => neg(a),
        _ => panic!("{op:?} is not a unary operator"),
    }
}

/// A binary operator, [`Op::Concat`] included; comparisons have width 1.
///
/// # Panics
/// When `op` is unary.
pub fn bin_bits(op: Op, a: &Bits, b: &Bits) -> Bits {
    if op == Op::Concat {
        return concat_bits(a, b);
    }
    let w = a.width();
    debug_assert_eq!(w, b.width(), "{op:?} on operands of different widths");
    let bool = |v| Bits::from_u64(1, u64::from(v));
    if w <= 64 {
        let v = word::bin_u64(op, w, a.low_u64(), b.low_u64());
        return Bits::from_u64(op.result_width(w), v);
    }
    let limbwise = |f: fn(u64, u64) -> u64| {
        let limbs: Vec<u64> = a.limbs().iter().zip(b.limbs()).map(|(&x, &y)| f(x, y)).collect();
        Bits::from_limbs(w, &limbs)
    };
    match op {
        Op::And => limbwise(|x, y| x & y),
        Op::Or => limbwise(|x, y| x | y),
        Op::Xor => limbwise(|x, y| x ^ y),
        Op::Add => add_with_carry(a, b, false),
        Op::Sub => sub(a, b),
        Op::Mul => mul(a, b),
        Op::UDiv if is_zero(b) => all_ones(w),
        Op::UDiv => divide(a, b).0,
        Op::URem if is_zero(b) => a.clone(),
        Op::URem => divide(a, b).1,
        Op::SDiv if is_zero(b) && sign(a) => Bits::from_u64(w, 1),
        Op::SDiv if is_zero(b) => all_ones(w),
        Op::SDiv => {
            let q = divide(&magnitude(a), &magnitude(b)).0;
            if sign(a) != sign(b) { neg(&q) } else { q }
        }
        Op::SRem if is_zero(b) => a.clone(),
        Op::SRem => {
            let r = divide(&magnitude(a), &magnitude(b)).1;
            if sign(a) { neg(&r) } else { r }
        }
        Op::Shl => shift_amount(a, b).map_or_else(|| Bits::from_u64(w, 0), |by| shl(a, by)),
        Op::LShr => match shift_amount(a, b) {
            Some(by) => zext_bits(&extract_bits(a, by, w - by), w),
            None => Bits::from_u64(w, 0),
        },
        Op::AShr => {
            let by = shift_amount(a, b).unwrap_or(w - 1);
            sext_bits(&extract_bits(a, by, w - by), w)
        }
        Op::Eq => bool(a == b),
        Op::Ult => bool(ult(a, b)),
        Op::Ule => bool(!ult(b, a)),
        Op::Slt => bool(slt(a, b)),
        Op::Sle => bool(!slt(b, a)),
        Op::Not | Op::Neg | Op::Concat => panic!("{op:?} is not a binary operator"),
    }
}
