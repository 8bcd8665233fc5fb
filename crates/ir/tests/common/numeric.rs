//! Integer intrinsics of the reference interpreter, over 128-bit numbers.

use forkwise_ir::{IntOp, Intrinsic};

/// The bits of a number, least significant first.
pub fn bits(words: &[u64], w: u32) -> Vec<bool> {
    (0..w).map(|i| words[i as usize / 64] >> (i % 64) & 1 != 0).collect()
}

/// The words of a number given by its bits.
pub fn packed(bits: &[bool]) -> Vec<u64> {
    bits.chunks(64).map(|c| c.iter().rev().fold(0, |w, b| w << 1 | *b as u64)).collect()
}

/// What compilers do with numbers of more than 128 bits: bit-fields of large structs.
pub fn huge(op: IntOp, a: Vec<bool>, b: Vec<bool>) -> Vec<bool> {
    let n = a.len();
    let amount = packed(&b)[0] as usize;
    let zip = |f: fn(bool, bool) -> bool| a.iter().zip(&b).map(|(x, y)| f(*x, *y)).collect();
    match op {
        IntOp::And => zip(|x, y| x & y),
        IntOp::Or => zip(|x, y| x | y),
        IntOp::Xor => zip(|x, y| x ^ y),
        IntOp::Shl => (0..n).map(|i| i >= amount && a[i - amount]).collect(),
        IntOp::LShr => (0..n).map(|i| i + amount < n && a[i + amount]).collect(),
        IntOp::AShr => (0..n).map(|i| a[(i + amount).min(n - 1)]).collect(),
        _ => panic!("{op:?} of {n} bits"),
    }
}

fn mask(w: u32) -> u128 {
    if w >= 128 { u128::MAX } else { (1 << w) - 1 }
}

fn signed(v: u128, w: u32) -> i128 {
    ((v << (128 - w)) as i128) >> (128 - w)
}

fn words(v: u128, w: u32) -> Vec<u64> {
    let v = v & mask(w);
    if w > 64 { vec![v as u64, (v >> 64) as u64] } else { vec![v as u64] }
}

pub fn integer(id: Intrinsic, w: u32, a: &[u64]) -> Option<Vec<u64>> {
    use Intrinsic::*;
    let n = w.div_ceil(64) as usize;
    let get = |i: usize| {
        let at = i * n;
        let low = *a.get(at).unwrap_or(&0) as u128;
        if n > 1 { low | (*a.get(at + 1).unwrap_or(&0) as u128) << 64 } else { low }
    };
    if w > 128 || w == 0 {
        return None;
    }
    let (x, y) = (get(0), get(1));
    let (sx, sy) = (signed(x, w), signed(y, w));
    let (min, max) = (signed(1 << (w - 1), w), (mask(w) >> 1) as i128);
    let overflow = |wide: Option<i128>, low: u128| {
        let fits = wide.is_some_and(|v| v >= min && v <= max);
        let mut list = words(low, w);
        list.push(!fits as u64);
        Some(list)
    };
    let unsigned_overflow = |wide: Option<u128>, low: u128| {
        let fits = wide.is_some_and(|v| v <= mask(w));
        let mut list = words(low, w);
        list.push(!fits as u64);
        Some(list)
    };
    let v = match id {
        SAddOverflow => return overflow(sx.checked_add(sy), x.wrapping_add(y)),
        SSubOverflow => return overflow(sx.checked_sub(sy), x.wrapping_sub(y)),
        SMulOverflow => return overflow(sx.checked_mul(sy), x.wrapping_mul(y)),
        UAddOverflow => return unsigned_overflow(x.checked_add(y), x.wrapping_add(y)),
        USubOverflow => return unsigned_overflow(x.checked_sub(y), x.wrapping_sub(y)),
        UMulOverflow => return unsigned_overflow(x.checked_mul(y), x.wrapping_mul(y)),
        SAddSat => sx.saturating_add(sy).clamp(min, max) as u128,
        SSubSat => sx.saturating_sub(sy).clamp(min, max) as u128,
        UAddSat => x.saturating_add(y).min(mask(w)),
        USubSat => x.saturating_sub(y),
        SMin => sx.min(sy) as u128,
        SMax => sx.max(sy) as u128,
        UMin => x.min(y),
        UMax => x.max(y),
        Abs => sx.wrapping_abs() as u128,
        Ctpop => x.count_ones() as u128,
        Ctlz => (x.leading_zeros() - (128 - w)) as u128,
        Cttz => x.trailing_zeros().min(w) as u128,
        Bswap => x.swap_bytes() >> (128 - w),
        Bitreverse => x.reverse_bits() >> (128 - w),
        Fshl | Fshr => {
            let s = (get(2) % w as u128) as u32;
            match (id, s) {
                (Fshl, 0) => x,
                (_, 0) => y,
                (Fshl, s) => x << s | y >> (w - s),
                (_, s) => x << (w - s) | y >> s,
            }
        }
        SCmp => return Some(vec![(sx.cmp(&sy) as i8) as u8 as u64]),
        UCmp => return Some(vec![(x.cmp(&y) as i8) as u8 as u64]),
        _ => return None,
    };
    Some(words(v, w))
}
