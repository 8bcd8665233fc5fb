//! Floating point of the reference interpreter, bit-exact in every format.

use forkwise_ir::{ArgType, CallSite, FpBin, FpFormat, FpPred, Intrinsic};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round as Mode};
use std::cmp::Ordering;

pub fn get(slots: &[u64], at: u32, fmt: FpFormat) -> u128 {
    let low = slots[at as usize] as u128;
    if fmt.slots() == 2 { low | (slots[at as usize + 1] as u128) << 64 } else { low }
}

pub fn put(slots: &mut [u64], at: u32, fmt: FpFormat, v: u128) {
    slots[at as usize] = v as u64;
    if fmt.slots() == 2 {
        slots[at as usize + 1] = (v >> 64) as u64;
    }
}

macro_rules! with {
    ($fmt:expr, $t:ident => $body:expr) => {
        match $fmt {
            FpFormat::Half => {
                type $t = Half;
                $body
            }
            FpFormat::BFloat => {
                type $t = BFloat;
                $body
            }
            FpFormat::Single => {
                type $t = Single;
                $body
            }
            FpFormat::Double => {
                type $t = Double;
                $body
            }
            FpFormat::X87 => {
                type $t = X87DoubleExtended;
                $body
            }
            FpFormat::Quad => {
                type $t = Quad;
                $body
            }
        }
    };
}

pub fn binary(op: FpBin, fmt: FpFormat, a: u128, b: u128) -> u128 {
    with!(fmt, T => {
        let (a, b) = (T::from_bits(a), T::from_bits(b));
        match op {
            FpBin::Add => (a + b).value,
            FpBin::Sub => (a - b).value,
            FpBin::Mul => (a * b).value,
            FpBin::Div => (a / b).value,
            FpBin::Rem => a.c_fmod(b).value,
        }
        .to_bits()
    })
}

pub fn compare(pred: FpPred, fmt: FpFormat, a: u128, b: u128) -> bool {
    let bit = with!(fmt, T => match T::from_bits(a).partial_cmp(&T::from_bits(b)) {
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        Some(Ordering::Less) => 4,
        None => 8,
    });
    pred.0 & bit != 0
}

pub fn convert(from: FpFormat, to: FpFormat, v: u128) -> u128 {
    let mut lost = false;
    with!(from, F => {
        let v = F::from_bits(v);
        with!(to, T => { let r: T = v.convert(&mut lost).value; r.to_bits() })
    })
}

pub fn to_int(signed: bool, fmt: FpFormat, w: u32, v: u128) -> u128 {
    let mut exact = false;
    with!(fmt, T => {
        let v = T::from_bits(v);
        if signed {
            v.to_i128_r(w as usize, Mode::TowardZero, &mut exact).value as u128
        } else {
            v.to_u128_r(w as usize, Mode::TowardZero, &mut exact).value
        }
    })
}

pub fn from_int(signed: bool, fmt: FpFormat, w: u32, v: u128) -> u128 {
    with!(fmt, T => if signed {
        T::from_i128(((v << (128 - w)) as i128) >> (128 - w)).value.to_bits()
    } else {
        T::from_u128(v).value.to_bits()
    })
}

fn format(w: u32) -> FpFormat {
    use FpFormat::*;
    [Half, BFloat, Single, Double, X87, Quad][w as usize]
}

pub fn intrinsic(id: Intrinsic, w: u32, a: &[u64], site: &CallSite) -> Option<Vec<u64>> {
    use Intrinsic::*;
    let fmt = if matches!(id, FpToSiSat | FpToUiSat) {
        let ArgType::Float(fmt) = site.args[0] else { return None };
        fmt
    } else {
        format(w)
    };
    let n = fmt.slots();
    let x = get(a, 0, fmt);
    let y = if a.len() >= 2 * n as usize { get(a, n, fmt) } else { 0 };
    let result = |v: u128| Some(if n == 2 { vec![v as u64, (v >> 64) as u64] } else { vec![v as u64] });
    with!(fmt, T => {
        let (fx, fy) = (T::from_bits(x), T::from_bits(y));
        let round = |mode| result(fx.round_to_integral(mode).value.to_bits());
        match id {
            Fabs => result(fx.abs().to_bits()),
            Copysign => result(fx.copy_sign(fy).to_bits()),
            Floor => round(Mode::TowardNegative),
            Ceil => round(Mode::TowardPositive),
            FpTrunc => round(Mode::TowardZero),
            Round => round(Mode::NearestTiesToAway),
            RoundEven | Rint => round(Mode::NearestTiesToEven),
            MinNum => result(fx.min(fy).to_bits()),
            MaxNum => result(fx.max(fy).to_bits()),
            FpToSiSat => Some(vec![to_int(true, fmt, w, x) as u64]),
            FpToUiSat => Some(vec![to_int(false, fmt, w, x) as u64]),
            Fma => {
                let z = T::from_bits(get(a, 2 * n, fmt));
                result(fx.mul_add(fy, z).value.to_bits())
            }
            Sqrt if fmt == FpFormat::Double => result(f64::from_bits(x as u64).sqrt().to_bits() as u128),
            Sqrt if fmt == FpFormat::Single => result(f32::from_bits(x as u32).sqrt().to_bits() as u128),
            Lrint => Some(vec![{
                let mut exact = false;
                fx.to_i128_r(64, Mode::NearestTiesToEven, &mut exact).value as u64
            }]),
            IsFpClass => {
                use rustc_apfloat::Category;
                let negative = fx.is_negative();
                let class = match fx.category() {
                    Category::NaN => if fx.is_signaling() { 1 } else { 2 },
                    Category::Infinity => if negative { 4 } else { 512 },
                    Category::Zero => if negative { 32 } else { 64 },
                    Category::Normal if fx.is_denormal() => if negative { 16 } else { 128 },
                    Category::Normal => if negative { 8 } else { 256 },
                };
                Some(vec![(a[n as usize] & class != 0) as u64])
            }
            _ => None,
        }
    })
}
