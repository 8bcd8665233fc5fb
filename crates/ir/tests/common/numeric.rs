//! Integer intrinsics of the reference interpreter, over 128-bit numbers.

use forkwise_ir::Intrinsic;

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
