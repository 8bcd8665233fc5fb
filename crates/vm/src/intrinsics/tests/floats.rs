//! Floating-point operations and intrinsics.

use super::*;
use crate::fp::double_bin;
use forkwise_expr::{FpOp, semantics};
use forkwise_ir::{FpBin, FpFormat, FpPred, Intrinsic};

const ALL: [FpFormat; 6] =
    [FpFormat::Half, FpFormat::BFloat, FpFormat::Single, FpFormat::Double, FpFormat::X87, FpFormat::Quad];
/// The formats that have expressions.
const SYMBOLIC: [FpFormat; 4] = [FpFormat::Half, FpFormat::BFloat, FpFormat::Single, FpFormat::Double];

/// A value of the format: special values, small integers, values near powers of two, random bits.
fn value(r: &mut Random, fmt: FpFormat) -> Bits {
    let w = fmt.bits();
    let fixed: f64 = match r.below(12) {
        0 => 0.0,
        1 => 1.0,
        2 => f64::INFINITY,
        3 => f64::NAN,
        4 => 0.5 + r.below(16) as f64,
        5 => r.below(300) as f64 / 4.0,
        6 => 2f64.powi(r.below(66) as i32),
        7 => 2f64.powi(r.below(66) as i32) - 1.0,
        8 => 2f64.powi(-(r.below(160) as i32)),
        9 => r.next() as f64,
        _ => {
            let limbs = [r.next(), r.next()];
            let mut v = Bits::from_limbs(w, &limbs);
            if fmt == FpFormat::X87 {
                // Only encodings that the hardware makes: the integer bit is set unless the exponent is zero.
                let exponent = v.to_u128() >> 64 & 0x7fff;
                let significand = v.low_u64() & !(1 << 63) | ((exponent != 0) as u64) << 63;
                v = Bits::from_limbs(w, &[significand, v.limbs()[1]]);
            }
            return v;
        }
    };
    let signed = if r.below(2) == 1 { -fixed } else { fixed };
    Bits::from_u128(w, crate::fp::convert(FpFormat::Double, fmt, signed.to_bits() as u128))
}

#[test]
fn double_arithmetic_of_the_hot_loop_is_the_semantics() {
    let mut r = Random(20);
    for _ in 0..20_000 {
        let (a, b) = (value(&mut r, FpFormat::Double).low_u64(), value(&mut r, FpFormat::Double).low_u64());
        for (op, e) in [
            (FpBin::Add, FpOp::Add),
            (FpBin::Sub, FpOp::Sub),
            (FpBin::Mul, FpOp::Mul),
            (FpBin::Div, FpOp::Div),
            (FpBin::Rem, FpOp::Rem),
        ] {
            assert_eq!(double_bin(op, a, b), semantics::fp_u64(e, 64, 64, &[a, b]), "{op:?} {a:x} {b:x}");
        }
    }
    // 0/0 is the default NaN of SSE: negative and quiet; a NaN operand comes out quiet.
    assert_eq!(double_bin(FpBin::Div, 0, 0), 0xfff8_0000_0000_0000);
    assert_eq!(double_bin(FpBin::Add, 0x7ff0_0000_0000_0001, 0), 0x7ff8_0000_0000_0001);
}

#[test]
fn arithmetic_agrees() {
    let mut r = Random(21);
    let mut bench = Bench::new();
    for fmt in SYMBOLIC {
        for op in [FpBin::Add, FpBin::Sub, FpBin::Mul, FpBin::Div, FpBin::Rem] {
            for _ in 0..150 {
                let values = [value(&mut r, fmt), value(&mut r, fmt)];
                agree(&mut bench, &format!("{op:?} {fmt:?}"), &values, &[fmt.bits()], &|vm, st, s, dst| {
                    vm.fp_bin(st, op, fmt, dst, s[0], s[1])
                });
            }
        }
    }
}

#[test]
fn comparisons_agree_and_are_the_sets_they_name() {
    let mut r = Random(22);
    let mut bench = Bench::new();
    for fmt in SYMBOLIC {
        for pred in 0..16u8 {
            for i in 0..20 {
                let a = value(&mut r, fmt);
                let b = if i % 4 == 0 { a.clone() } else { value(&mut r, fmt) };
                agree(&mut bench, &format!("fcmp {pred} {fmt:?}"), &[a, b], &[1], &|vm, st, s, dst| {
                    vm.fp_cmp(st, FpPred(pred), fmt, dst, s[0], s[1])
                });
            }
        }
    }
    for fmt in ALL {
        let number = |v: f64| {
            Bits::from_u128(fmt.bits(), crate::fp::convert(FpFormat::Double, fmt, v.to_bits() as u128))
        };
        for (a, b, relation) in [
            (1.0, 1.0, 1),
            (0.0, -0.0, 1),
            (2.0, 1.0, 2),
            (-2.0, 1.0, 4),
            (f64::NAN, 1.0, 8),
            (1.0, f64::NAN, 8),
        ] {
            for pred in 0..16u8 {
                bench.reset();
                let (a, b) = (bench.put(&number(a), false), bench.put(&number(b), false));
                let dst = bench.reserve(1);
                bench.vm.fp_cmp(&mut bench.st, FpPred(pred), fmt, dst, a, b).unwrap();
                assert_eq!(bench.get(dst, 1).low_u64() == 1, pred & relation != 0);
            }
        }
    }
}

#[test]
fn conversions_agree() {
    let mut r = Random(23);
    let mut bench = Bench::new();
    for from in SYMBOLIC {
        for to in SYMBOLIC {
            if from == FpFormat::Double && to == FpFormat::BFloat {
                continue;
            }
            for _ in 0..60 {
                let v = value(&mut r, from);
                agree(&mut bench, &format!("{from:?} to {to:?}"), &[v], &[to.bits()], &|vm, st, s, dst| {
                    vm.fp_conv(st, from, to, dst, s[0])
                });
            }
        }
        for w in [1, 8, 16, 17, 31, 32, 33, 63, 64, 65, 128] {
            for signed in [false, true] {
                for _ in 0..20 {
                    let v = value(&mut r, from);
                    let what = format!("{from:?} to i{w}, signed {signed}");
                    agree(&mut bench, &what, &[v], &[w], &|vm, st, s, dst| {
                        vm.fp_to_int(st, signed, from, w, dst, s[0])
                    });
                    let v = r.int(w);
                    let what = format!("i{w} to {from:?}, signed {signed}");
                    agree(&mut bench, &what, &[v], &[from.bits()], &|vm, st, s, dst| {
                        vm.int_to_fp(st, signed, from, w, dst, s[0])
                    });
                }
            }
        }
    }
}

#[test]
fn conversions_between_all_formats_keep_what_fits() {
    let mut bench = Bench::new();
    for from in ALL {
        for to in ALL {
            for v in [0.0, -0.0, 1.0, -1.5, 96.0, f64::INFINITY, f64::NEG_INFINITY] {
                bench.reset();
                let bits = crate::fp::convert(FpFormat::Double, from, f64::to_bits(v) as u128);
                let a = bench.put(&Bits::from_u128(from.bits(), bits), false);
                let there = bench.reserve(2);
                let back = bench.reserve(2);
                bench.vm.fp_conv(&mut bench.st, from, to, there, a).unwrap();
                bench.vm.fp_conv(&mut bench.st, to, FpFormat::Double, back, there).unwrap();
                assert_eq!(bench.get(back, 64).low_u64(), v.to_bits(), "{v} from {from:?} to {to:?}");
            }
        }
    }
}

/// What x86-64 code made by clang gives for values outside the integer's range.
#[test]
fn conversions_out_of_range_are_those_of_the_hardware() {
    let mut bench = Bench::new();
    let mut convert_from = |fmt: FpFormat, v: f64, w: u32, signed: bool| {
        bench.reset();
        let bits = crate::fp::convert(FpFormat::Double, fmt, v.to_bits() as u128);
        let a = bench.put(&Bits::from_u128(fmt.bits(), bits), false);
        let dst = bench.reserve(1);
        bench.vm.fp_to_int(&mut bench.st, signed, fmt, w, dst, a).unwrap();
        bench.get(dst, w).low_u64()
    };
    // x87 has a 16-bit conversion and puts unsigned results together in another way.
    assert_eq!(convert_from(FpFormat::X87, 70_000.0, 16, true), 0x8000);
    assert_eq!(convert_from(FpFormat::X87, 70_000.0, 8, false), 0);
    assert_eq!(convert_from(FpFormat::X87, 70_000.0, 16, false), 70_000 & 0xffff);
    assert_eq!(convert_from(FpFormat::X87, 1e20, 64, false), 0);
    assert_eq!(convert_from(FpFormat::X87, f64::NAN, 64, false), 0);
    let mut convert = |v: f64, w: u32, signed: bool| convert_from(FpFormat::Double, v, w, signed);
    assert_eq!(convert(300.0, 8, false), 44);
    assert_eq!(convert(-1.0, 8, false), 255);
    assert_eq!(convert(-2.0, 32, false), 0xffff_fffe);
    assert_eq!(convert(5e9, 32, false), 5_000_000_000 & 0xffff_ffff);
    assert_eq!(convert(5e9, 32, true), 0x8000_0000);
    assert_eq!(convert(70_000.0, 16, true), 70_000 & 0xffff);
    assert_eq!(convert(-2.0, 64, false), -2i64 as u64);
    assert_eq!(convert(1e19, 64, false), 10_000_000_000_000_000_000);
    assert_eq!(convert(1e20, 64, false), 1 << 63);
    assert_eq!(convert(f64::NAN, 64, false), 1 << 63);
    assert_eq!(convert(f64::NAN, 32, true), 0x8000_0000);
}

#[test]
fn operator_intrinsics_agree() {
    use Intrinsic::*;
    let mut r = Random(24);
    let mut bench = Bench::new();
    for fmt in SYMBOLIC {
        for (id, n) in [
            (Fabs, 1),
            (Copysign, 2),
            (Sqrt, 1),
            (Fma, 3),
            (Floor, 1),
            (Ceil, 1),
            (FpTrunc, 1),
            (Round, 1),
            (RoundEven, 1),
            (Rint, 1),
            (MinNum, 2),
            (MaxNum, 2),
            (Minimum, 2),
            (Maximum, 2),
        ] {
            for _ in 0..40 {
                let values: Vec<Bits> = (0..n).map(|_| value(&mut r, fmt)).collect();
                agree(&mut bench, &format!("{id:?} {fmt:?}"), &values, &[fmt.bits()], &|vm, st, s, dst| {
                    let args: Vec<_> = s.iter().map(|s| (ArgType::Float(fmt), *s)).collect();
                    vm.intrinsic_at(st, id, fmt as u32, dst, &site(&args, Some(ArgType::Float(fmt)), 1))
                });
            }
        }
    }
}

#[test]
fn sign_operations_and_classes_work_on_symbolic_values_of_every_format() {
    use Intrinsic::*;
    let mut r = Random(25);
    let mut bench = Bench::new();
    for fmt in ALL {
        let w = fmt.bits();
        for _ in 0..60 {
            let values = [value(&mut r, fmt), value(&mut r, fmt)];
            let negate = |vm: &mut Vm, st: &mut State, s: &[Slot], dst: Slot| vm.fp_neg(st, fmt, dst, s[0]);
            agree(&mut bench, &format!("fneg {fmt:?}"), &values[..1], &[w], &negate);
            for (id, n) in [(Fabs, 1), (Copysign, 2)] {
                agree(&mut bench, &format!("{id:?} {fmt:?}"), &values[..n], &[w], &|vm, st, s, dst| {
                    let args: Vec<_> = s.iter().map(|s| (ArgType::Float(fmt), *s)).collect();
                    vm.intrinsic_at(
                        st,
                        id,
                        fmt as u32,
                        dst,
                        &site(&args, Some(ArgType::Float(fmt)), fmt.slots()),
                    )
                });
            }
            let test = r.below(1 << 10);
            agree(&mut bench, &format!("class {test:#x} {fmt:?}"), &values[..1], &[1], &|vm, st, s, dst| {
                let mask = SLOTS - 1;
                st.frame.regs[mask as usize] = Value::concrete(test);
                let args = [(ArgType::Float(fmt), s[0]), (ArgType::Int(32), mask)];
                vm.intrinsic_at(st, IsFpClass, fmt as u32, dst, &site(&args, Some(ArgType::Int(1)), 1))
            });
        }
    }
}

#[test]
fn every_value_is_in_exactly_one_class() {
    let mut r = Random(26);
    let mut bench = Bench::new();
    let mut in_class = |fmt: FpFormat, v: &Bits, test: u64| {
        bench.reset();
        let a = bench.put(v, false);
        let mask = bench.put(&Bits::from_u64(32, test), false);
        let dst = bench.reserve(1);
        let args = [(ArgType::Float(fmt), a), (ArgType::Int(32), mask)];
        let s = site(&args, Some(ArgType::Int(1)), 1);
        bench.vm.intrinsic_at(&mut bench.st, Intrinsic::IsFpClass, fmt as u32, dst, &s).unwrap();
        bench.get(dst, 1).low_u64()
    };
    for fmt in ALL {
        for _ in 0..200 {
            let v = value(&mut r, fmt);
            let n: u64 = (0..10).map(|i| in_class(fmt, &v, 1 << i)).sum();
            assert_eq!(n, 1, "{fmt:?} {v}");
            let nan = crate::fp::concrete(fmt, FpOp::IsNan, &[v.to_u128()]);
            assert_eq!(in_class(fmt, &v, 3) as u128, nan);
        }
    }
    let double = |v: f64| Bits::from_u64(64, v.to_bits());
    assert_eq!(in_class(FpFormat::Double, &double(-0.0), 1 << 5), 1);
    assert_eq!(in_class(FpFormat::Double, &double(f64::INFINITY), 1 << 9), 1);
    assert_eq!(in_class(FpFormat::Double, &double(1e-310), 1 << 7), 1);
    assert_eq!(in_class(FpFormat::Double, &double(-1.0), 1 << 3), 1);
    assert_eq!(in_class(FpFormat::Double, &Bits::from_u64(64, 0x7ff0_0000_0000_0001), 1), 1);
}

#[test]
fn scaling_agrees() {
    let mut r = Random(27);
    let mut bench = Bench::new();
    for fmt in SYMBOLIC {
        let range = match fmt {
            FpFormat::Double => 2400,
            FpFormat::Half => 60,
            _ => 320,
        };
        for _ in 0..250 {
            let n = match r.below(8) {
                0 => r.next() as i32,
                _ => r.below(2 * range) as i32 - range as i32,
            };
            let values = [value(&mut r, fmt), Bits::from_u64(32, n as u32 as u64)];
            agree(&mut bench, &format!("ldexp {fmt:?}"), &values, &[fmt.bits()], &|vm, st, s, dst| {
                let args = [(ArgType::Float(fmt), s[0]), (ArgType::Int(32), s[1])];
                vm.intrinsic_at(
                    st,
                    Intrinsic::Ldexp,
                    fmt as u32,
                    dst,
                    &site(&args, Some(ArgType::Float(fmt)), 1),
                )
            });
        }
    }
}

#[test]
fn rounding_and_saturating_conversions_agree() {
    use Intrinsic::*;
    let mut r = Random(28);
    let mut bench = Bench::new();
    for fmt in SYMBOLIC {
        for w in [32, 64] {
            for id in [Lrint, Lround] {
                for _ in 0..30 {
                    let v = value(&mut r, fmt);
                    agree(&mut bench, &format!("{id:?} {fmt:?} i{w}"), &[v], &[w], &|vm, st, s, dst| {
                        let args = [(ArgType::Float(fmt), s[0])];
                        vm.intrinsic_at(st, id, fmt as u32, dst, &site(&args, Some(ArgType::Int(w)), 1))
                    });
                }
            }
        }
        for w in [1, 8, 19, 32, 50, 64, 100] {
            for id in [FpToSiSat, FpToUiSat] {
                for _ in 0..20 {
                    let v = value(&mut r, fmt);
                    agree(&mut bench, &format!("{id:?} {fmt:?} i{w}"), &[v], &[w], &|vm, st, s, dst| {
                        let args = [(ArgType::Float(fmt), s[0])];
                        vm.intrinsic_at(st, id, w, dst, &site(&args, Some(ArgType::Int(w)), slot_count(w)))
                    });
                }
            }
        }
    }
}

#[test]
fn saturating_conversions_are_what_the_host_says() {
    let mut r = Random(29);
    let mut bench = Bench::new();
    for _ in 0..2000 {
        let bits = value(&mut r, FpFormat::Double);
        let v = f64::from_bits(bits.low_u64());
        let mut convert = |id: Intrinsic, w: u32| {
            bench.reset();
            let a = bench.put(&bits, false);
            let dst = bench.reserve(1);
            let s = site(&[(ArgType::Float(FpFormat::Double), a)], Some(ArgType::Int(w)), 1);
            bench.vm.intrinsic_at(&mut bench.st, id, w, dst, &s).unwrap();
            bench.get(dst, w).low_u64()
        };
        assert_eq!(convert(Intrinsic::FpToSiSat, 8), v as i8 as u8 as u64, "{v}");
        assert_eq!(convert(Intrinsic::FpToSiSat, 32), v as i32 as u32 as u64, "{v}");
        assert_eq!(convert(Intrinsic::FpToSiSat, 64), v as i64 as u64, "{v}");
        assert_eq!(convert(Intrinsic::FpToUiSat, 8), v as u8 as u64, "{v}");
        assert_eq!(convert(Intrinsic::FpToUiSat, 64), v as u64, "{v}");
    }
}

#[test]
fn minimum_and_maximum_of_zeros_and_nans() {
    let mut bench = Bench::new();
    let mut run = |id: Intrinsic, a: f64, b: f64| {
        bench.reset();
        let (a, b) = (
            bench.put(&Bits::from_u64(64, a.to_bits()), false),
            bench.put(&Bits::from_u64(64, b.to_bits()), false),
        );
        let dst = bench.reserve(1);
        let t = ArgType::Float(FpFormat::Double);
        let s = site(&[(t.clone(), a), (t.clone(), b)], Some(t), 1);
        bench.vm.intrinsic_at(&mut bench.st, id, FpFormat::Double as u32, dst, &s).unwrap();
        f64::from_bits(bench.get(dst, 64).low_u64())
    };
    assert!(run(Intrinsic::Minimum, 0.0, -0.0).is_sign_negative());
    assert!(run(Intrinsic::Minimum, -0.0, 0.0).is_sign_negative());
    assert!(run(Intrinsic::Maximum, -0.0, 0.0).is_sign_positive());
    assert!(run(Intrinsic::Minimum, 1.0, f64::NAN).is_nan());
    assert_eq!(run(Intrinsic::MinNum, 1.0, f64::NAN), 1.0);
    assert_eq!(run(Intrinsic::MaxNum, f64::NAN, 1.0), 1.0);
    assert_eq!(run(Intrinsic::MinNum, 3.0, 2.0), 2.0);
    assert_eq!(run(Intrinsic::MaxNum, 3.0, 2.0), 3.0);
}

/// A known limit: long double has no symbolic arithmetic. Such operations go on with one value, and the others are
/// counted as unfinished paths, never forgotten.
#[test]
fn symbolic_long_double_is_followed_with_one_value() {
    let mut bench = Bench::new();
    let one = crate::fp::convert(FpFormat::Double, FpFormat::X87, f64::to_bits(1.0) as u128);
    let a = bench.put(&Bits::from_u128(80, one), true);
    let d = bench.put(&Bits::from_u64(64, f64::to_bits(1.0)), true);
    let dst = bench.reserve(2);
    let (vm, st) = (&mut bench.vm, &mut bench.st);
    assert_eq!(vm.fp_bin(st, FpBin::Mul, FpFormat::X87, dst, a, a), Ok(Flow::Next));
    assert_eq!(vm.fp_conv(st, FpFormat::Double, FpFormat::X87, dst, d), Ok(Flow::Next));
    assert_eq!(vm.ended.len(), 3, "two slots of the first, one of the second");
    assert!(vm.ended.iter().all(|e| matches!(e.termination, Termination::Limit(_))));
    assert_eq!(bench.get(dst, 80).to_u128(), one);
}

#[test]
fn long_double_arithmetic_has_64_bits() {
    let mut bench = Bench::new();
    let third = |vm: &mut Vm, st: &mut State, one: Slot, three: Slot, dst: Slot| {
        vm.fp_bin(st, FpBin::Div, FpFormat::X87, dst, one, three).unwrap();
    };
    let number = |v: f64| {
        Bits::from_u128(80, crate::fp::convert(FpFormat::Double, FpFormat::X87, v.to_bits() as u128))
    };
    let (one, three) = (bench.put(&number(1.0), false), bench.put(&number(3.0), false));
    let dst = bench.reserve(2);
    third(&mut bench.vm, &mut bench.st, one, three, dst);
    assert_eq!(bench.get(dst, 80).to_u128(), 0x3ffd_aaaa_aaaa_aaaa_aaab);
}
