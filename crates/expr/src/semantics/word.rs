//! Operators on values of at most 64 bits held in a `u64` with zero bits above the width. The results obey the
//! same rule. Total like SMT-LIB: division by zero and oversized shifts have a value. Wider values: see `wide`.

use crate::node::{Op, Width};

/// The value with the low `width` bits set (`width` in 1..=64).
#[inline]
pub const fn mask(width: Width) -> u64 {
    u64::MAX >> (64 - width)
}

/// A `width`-bit value read as two's complement.
#[inline]
pub const fn to_signed(width: Width, v: u64) -> i64 {
    ((v << (64 - width)) as i64) >> (64 - width)
}

/// Sign-extends from `from` to `to` bits (`from` ≤ `to` ≤ 64).
#[inline]
pub const fn sext_u64(from: Width, to: Width, v: u64) -> u64 {
    to_signed(from, v) as u64 & mask(to)
}

/// Bits `lo .. lo + width` of `v`.
#[inline]
pub const fn extract_u64(v: u64, lo: u32, width: Width) -> u64 {
    (v >> lo) & mask(width)
}

/// `hi` above the `lo_width` bits of `lo` (together at most 64 bits).
#[inline]
pub const fn concat_u64(hi: u64, lo: u64, lo_width: Width) -> u64 {
    (hi << lo_width) | lo
}

/// A unary operator ([`Op::Not`], [`Op::Neg`]).
///
/// # Panics
/// When `op` is not unary.
#[inline]
pub fn un_u64(op: Op, width: Width, a: u64) -> u64 {
    match op {
        Op::Not => !a & mask(width),
        Op::Neg => a.wrapping_neg() & mask(width),
        _ => panic!("{op:?} is not a unary operator"),
    }
}

/// A binary operator on two operands of `width` bits; comparisons give 0 or 1. For [`Op::Concat`], whose operands
/// differ in width, see [`concat_u64`].
///
/// # Panics
/// When `op` is unary or a concatenation.
#[inline]
pub fn bin_u64(op: Op, width: Width, a: u64, b: u64) -> u64 {
    let m = mask(width);
    let signed = |v| to_signed(width, v);
    match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b) & m,
        Op::Sub => a.wrapping_sub(b) & m,
        Op::Mul => a.wrapping_mul(b) & m,
        Op::UDiv => a.checked_div(b).unwrap_or(m),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                m
            }
        }
        Op::SDiv => signed(a).wrapping_div(signed(b)) as u64 & m,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a).wrapping_rem(signed(b)) as u64 & m,
        Op::Shl if b >= u64::from(width) => 0,
        Op::Shl => (a << b) & m,
        Op::LShr if b >= u64::from(width) => 0,
        Op::LShr => a >> b,
        Op::AShr => (signed(a) >> b.min(u64::from(width) - 1)) as u64 & m,
        Op::Eq => u64::from(a == b),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        Op::Slt => u64::from(signed(a) < signed(b)),
        Op::Sle => u64::from(signed(a) <= signed(b)),
        Op::Not | Op::Neg | Op::Concat => panic!("{op:?} is not a binary operator on operands of one width"),
    }
}
