//! Rules for floating point.

use crate::Gen;
use crate::rule_cases;
use crate::support::*;
use forkwise_expr::{Bits, FpOp};

fn fp(op: FpOp, width: u32, args: &[Term]) -> Term {
    Term::Fp(op, width, args.to_vec())
}

fn compare(g: &mut Gen) -> FpOp {
    g.pick(&[FpOp::Eq, FpOp::Lt, FpOp::Le])
}

/// A floating-point constant, special values included.
fn constant(g: &mut Gen, w: u32) -> Term {
    let v = g.pick(&[
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        100.0,
        127.0,
        127.5,
        -128.0,
        -128.25,
        255.0,
        255.5,
        256.0,
        1e9,
        -1e30,
        0.1,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ]);
    match w {
        32 => Term::Const(Bits::from_u64(32, u64::from((v as f32).to_bits()))),
        _ => Term::Const(Bits::from_u64(64, v.to_bits())),
    }
}

fn from_int(g: &mut Gen, n: u32, w: u32) -> Term {
    let x = g.opaque(n);
    fp(g.pick(&[FpOp::FromSigned, FpOp::FromUnsigned]), w, &[x])
}

/// A float with special values among its values.
fn float(g: &mut Gen, w: u32) -> Term {
    let nan = match w {
        16 => 0x7d01,
        32 => 0xffa0_1234,
        _ => 0x7ff0_1234_5678_9abc,
    };
    ite(g.bool(), g.input(w), c(w, nan))
}

rule_cases! {
    fp_self_compare: |g| { let w = g.pick(&[16, 32, 64]); let x = float(g, w); fp(compare(g), 1, &[x.clone(), x]) };
    fp_compare_nan: |g| { let x = float(g, 32); fp(compare(g), 1, &[x, c(32, 0x7fc0_0001)]) };
    fp_compare_widened: |g| { let n = g.pick(&[16, 32]); let (x, y) = (float(g, n), float(g, n)); fp(compare(g), 1, &[fp(FpOp::ToFloat, 64, &[x]), fp(FpOp::ToFloat, 64, &[y])]) };
    fp_compare_widened_const: |g| { let x = fp(FpOp::ToFloat, 64, &[float(g, 32)]); let k = constant(g, 64); let op = compare(g); if g.number(0, 1) == 0 { fp(op, 1, &[x, k]) } else { fp(op, 1, &[k, x]) } };
    fp_compare_ints: |g| { let (m, n) = (g.pick(&[8, 16]), g.pick(&[8, 17])); let (x, y) = (from_int(g, m, 32), from_int(g, n, 32)); fp(compare(g), 1, &[x, y]) };
    fp_compare_int_const: |g| { let w = g.pick(&[32, 64]); let n = g.pick(&[8, 16, 23]); let x = from_int(g, n, w); let k = constant(g, w); let op = compare(g); if g.number(0, 1) == 0 { fp(op, 1, &[x, k]) } else { fp(op, 1, &[k, x]) } };
    fp_is_nan_int: |g| { let x = from_int(g, 64, 32); fp(FpOp::IsNan, 1, &[x]) };
    fp_is_nan_converted: |g| { let x = float(g, 32); let r = g.pick(&ROUNDING_MODES); fp(FpOp::IsNan, 1, &[if g.number(0, 1) == 0 { fp(FpOp::ToFloat, g.pick(&[16, 64]), &[x]) } else { fp(FpOp::RoundToIntegral(r), 32, &[x]) }]) };
    fp_to_same: |g| { let x = float(g, 32); fp(FpOp::ToFloat, 32, &[x]) };
    fp_widen_twice: |g| { let x = float(g, 16); fp(FpOp::ToFloat, 64, &[fp(FpOp::ToFloat, 32, &[x])]) };
    fp_round_trip: |g| { let x = fp(FpOp::Add, 32, &[float(g, 32), float(g, 32)]); fp(FpOp::ToFloat, 32, &[fp(FpOp::ToFloat, 64, &[x])]) };
    fp_from_int_direct: |g| { let n = g.pick(&[8, 16, 24]); let x = from_int(g, n, 32); fp(FpOp::ToFloat, g.pick(&[16, 64]), &[x]) };
    fp_from_extended: |g| { let w = g.pick(&[16, 32, 64]); let x = g.opaque(24); if g.number(0, 1) == 0 { fp(FpOp::FromSigned, w, &[sext(x, 64)]) } else { fp(g.pick(&[FpOp::FromSigned, FpOp::FromUnsigned]), w, &[zext(x, 64)]) } };
    fp_from_non_negative: |g| { let x = udiv(g.input(32), c(32, 3)); fp(FpOp::FromSigned, g.pick(&[16, 32, 64]), &[x]) };
    fp_to_int_of_int: |g| { let n = g.pick(&[8, 16, 24]); let x = from_int(g, n, 32); fp(g.pick(&[FpOp::ToSigned, FpOp::ToUnsigned]), g.pick(&[16, 32, 64]), &[x]) };
    fp_round_integral: |g| { let (p, q) = (g.pick(&ROUNDING_MODES), g.pick(&ROUNDING_MODES)); let x = if g.number(0, 1) == 0 { fp(FpOp::RoundToIntegral(p), 32, &[float(g, 32)]) } else { from_int(g, 32, 32) }; fp(FpOp::RoundToIntegral(q), 32, &[x]) };
}
