//! Constants of any width. Only data and conversions: the arithmetic on them is in `semantics::wide`.

use std::fmt;

/// A bit-vector value: little-endian 64-bit limbs, exactly `ceil(width / 64)` of them, unused high bits zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    width: u32,
    limbs: Box<[u64]>,
}

impl Bits {
    /// The value `v` cut to `width` bits.
    pub fn from_u64(width: u32, v: u64) -> Bits {
        Bits::from_limbs(width, &[v])
    }

    /// The value `v` cut to `width` bits.
    pub fn from_u128(width: u32, v: u128) -> Bits {
        Bits::from_limbs(width, &[v as u64, (v >> 64) as u64])
    }

    /// From limbs, cut or zero-extended to `width` bits.
    pub fn from_limbs(width: u32, limbs: &[u64]) -> Bits {
        assert!(width > 0);
        let n = width.div_ceil(64) as usize;
        let mut out = vec![0u64; n];
        for (o, l) in out.iter_mut().zip(limbs) {
            *o = *l;
        }
        if !width.is_multiple_of(64) {
            out[n - 1] &= u64::MAX >> (64 - width % 64);
        }
        Bits { width, limbs: out.into() }
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The limbs, least significant first.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// The low 64 bits.
    pub fn low_u64(&self) -> u64 {
        self.limbs[0]
    }

    /// The low 128 bits.
    pub fn to_u128(&self) -> u128 {
        u128::from(self.limbs[0]) | u128::from(self.limbs.get(1).copied().unwrap_or(0)) << 64
    }

    /// Bit `i`.
    pub fn bit(&self, i: u32) -> bool {
        self.limbs[(i / 64) as usize] >> (i % 64) & 1 == 1
    }

    /// Are all bits zero?
    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|&l| l == 0)
    }

    /// The number of bits up to and including the highest one that is set (0 for zero).
    pub fn bit_length(&self) -> u32 {
        match self.limbs.iter().rposition(|&l| l != 0) {
            Some(i) => i as u32 * 64 + 64 - self.limbs[i].leading_zeros(),
            None => 0,
        }
    }
}

/// Hexadecimal, SMT-LIB style (`#x0f`), or binary when the width is not a multiple of four.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            f.write_str("#x")?;
            for i in (0..self.width / 4).rev() {
                write!(f, "{:x}", self.limbs[(i / 16) as usize] >> (i % 16 * 4) & 15)?;
            }
        } else {
            f.write_str("#b")?;
            for i in (0..self.width).rev() {
                f.write_str(if self.bit(i) { "1" } else { "0" })?;
            }
        }
        Ok(())
    }
}
