//! The meaning of every operator against another implementation: the `z3` program, over SMT-LIB text. Without
//! z3 the tests say so and pass.

mod support;

use forkwise_expr::semantics::{bin_bits, extract_bits, fp_bits, sext_bits, un_bits, zext_bits};
use forkwise_expr::{Bits, FpOp, Op, RoundingMode};
use std::io::Write;
use std::process::{Command, Stdio};
use support::{ROUNDING_MODES, Rng};

/// Each query is an SMT-LIB term with the text of its expected value.
fn check(queries: &[(String, String)]) {
    let child = Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        println!("z3 is not installed: not compared");
        return;
    };
    let script: String = queries.iter().map(|(q, _)| format!("(simplify {q})\n")).collect();
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("z3 ends");
    writer.join().expect("the writer ends").expect("z3 reads its input");
    let text = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), queries.len(), "one answer a query; last: {:?}", answers.last());
    for ((query, want), got) in queries.iter().zip(answers) {
        assert_eq!(want, got, "{query}");
    }
}

fn smt_name(op: Op) -> &'static str {
    match op {
        Op::Not => "bvnot",
        Op::Neg => "bvneg",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::SDiv => "bvsdiv",
        Op::URem => "bvurem",
        Op::SRem => "bvsrem",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::Eq => "=",
        Op::Ult => "bvult",
        Op::Ule => "bvule",
        Op::Slt => "bvslt",
        Op::Sle => "bvsle",
        Op::Concat => "concat",
    }
}

fn truth(v: &Bits) -> String {
    if v.low_u64() == 1 { "true".into() } else { "false".into() }
}

#[test]
fn bit_vectors_agree_with_z3() {
    let mut rng = Rng(7);
    let mut queries = Vec::new();
    for width in [1, 2, 7, 8, 16, 31, 32, 63, 64, 65, 100, 128, 200] {
        for op in Op::ALL {
            for round in 0..30 {
                let a = rng.value(width);
                let b = match round {
                    0 => Bits::from_u64(width, 0),
                    1 => Bits::from_u64(width, u64::from(width)),
                    2 => Bits::from_u64(width, u64::from(width) - 1),
                    3 => un_bits(Op::Not, &Bits::from_u64(width, 0)),
                    _ => rng.value(width),
                };
                let name = smt_name(op);
                if op.is_unary() {
                    queries.push((format!("({name} {a})"), un_bits(op, &a).to_string()));
                } else {
                    let v = bin_bits(op, &a, &b);
                    let want = if op.is_comparison() { truth(&v) } else { v.to_string() };
                    queries.push((format!("({name} {a} {b})"), want));
                }
            }
        }
        for _ in 0..10 {
            let a = rng.value(width);
            let lo = rng.range(0, u64::from(width) - 1) as u32;
            let n = rng.range(1, u64::from(width - lo)) as u32;
            queries.push((
                format!("((_ extract {} {lo}) {a})", lo + n - 1),
                extract_bits(&a, lo, n).to_string(),
            ));
            let more = rng.range(1, 70) as u32;
            queries.push((format!("((_ zero_extend {more}) {a})"), zext_bits(&a, width + more).to_string()));
            queries.push((format!("((_ sign_extend {more}) {a})"), sext_bits(&a, width + more).to_string()));
        }
    }
    check(&queries);
}

/// Exponent and significand bits of a format, for SMT-LIB.
fn shape(width: u32) -> (u32, u32) {
    match width {
        16 => (5, 11),
        32 => (8, 24),
        64 => (11, 53),
        _ => (15, 113),
    }
}

fn as_fp(v: &Bits) -> String {
    let (e, s) = shape(v.width());
    format!("((_ to_fp {e} {s}) {v})")
}

fn mode_name(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "RNE",
        RoundingMode::NearestAway => "RNA",
        RoundingMode::Zero => "RTZ",
        RoundingMode::Up => "RTP",
        RoundingMode::Down => "RTN",
    }
}

/// Random bits, small numbers, and the values at the edges of the format.
fn float(rng: &mut Rng, width: u32) -> Bits {
    let (_, s) = shape(width);
    let m = s - 1;
    let top = (1u128 << (width - 1 - m)) - 1;
    let field = |e: u128, f: u128| (e << m) | f;
    let fraction = (u128::from(rng.next()) << 64 | u128::from(rng.next())) & ((1 << m) - 1);
    let sign = u128::from(rng.next() & 1) << (width - 1);
    let bias = top / 2;
    let magnitude = match rng.range(0, 11) {
        0 => 0,
        1 => field(0, 1),
        2 => field(0, fraction),
        3 => field(1, 0),
        4 => field(top - 1, (1 << m) - 1),
        5 => field(top, 0),
        6 => field(top, fraction | 1),
        7 => field(bias, 0),
        8 => field(bias + u128::from(rng.range(0, u64::from(m))), fraction & !((1 << (m / 2)) - 1)),
        9 => field(bias - 1 + u128::from(rng.range(0, 3)), fraction),
        _ => field(u128::from(rng.next()) % top, fraction),
    };
    Bits::from_u128(width, sign | magnitude)
}

fn is_nan(v: &Bits) -> bool {
    fp_bits(FpOp::IsNan, 1, std::slice::from_ref(v)).low_u64() == 1
}

/// The query and expected text for an operation with a floating-point result; NaNs are one value in SMT-LIB.
fn float_query(term: &str, result: &Bits) -> (String, String) {
    if is_nan(result) {
        (format!("(fp.isNaN {term})"), "true".into())
    } else {
        (format!("(fp.to_ieee_bv {term})"), result.to_string())
    }
}

#[test]
fn floating_point_agrees_with_z3() {
    let mut rng = Rng(11);
    let mut queries = Vec::new();
    for width in [16, 32, 64, 128] {
        let (e, s) = shape(width);
        for _ in 0..250 {
            let args: Vec<Bits> = (0..3).map(|_| float(&mut rng, width)).collect();
            let [a, b, d] = [0, 1, 2].map(|i| as_fp(&args[i]));
            for (op, name) in
                [(FpOp::Add, "fp.add"), (FpOp::Sub, "fp.sub"), (FpOp::Mul, "fp.mul"), (FpOp::Div, "fp.div")]
            {
                let result = fp_bits(op, width, &args[..2]);
                queries.push(float_query(&format!("({name} RNE {a} {b})"), &result));
            }
            let result = fp_bits(FpOp::Sqrt, width, &args[..1]);
            queries.push(float_query(&format!("(fp.sqrt RNE {a})"), &result));
            let result = fp_bits(FpOp::Fma, width, &args);
            queries.push(float_query(&format!("(fp.fma RNE {a} {b} {d})"), &result));
            for mode in ROUNDING_MODES {
                let result = fp_bits(FpOp::RoundToIntegral(mode), width, &args[..1]);
                queries.push(float_query(&format!("(fp.roundToIntegral {} {a})", mode_name(mode)), &result));
            }
            for (op, name) in [(FpOp::Eq, "fp.eq"), (FpOp::Lt, "fp.lt"), (FpOp::Le, "fp.leq")] {
                queries.push((format!("({name} {a} {b})"), truth(&fp_bits(op, 1, &args[..2]))));
                queries.push((
                    format!("({name} {a} {a})"),
                    truth(&fp_bits(op, 1, &[args[0].clone(), args[0].clone()])),
                ));
            }
            queries.push((format!("(fp.isNaN {a})"), truth(&fp_bits(FpOp::IsNan, 1, &args[..1]))));
            for to in [16, 32, 64, 128].into_iter().filter(|&to| to != width) {
                let (e, s) = shape(to);
                let result = fp_bits(FpOp::ToFloat, to, &args[..1]);
                queries.push(float_query(&format!("((_ to_fp {e} {s}) RNE {a})"), &result));
            }
            for n in [1, 8, 16, 32, 33, 64, 128] {
                let int = rng.value(n);
                let result = fp_bits(FpOp::FromSigned, width, std::slice::from_ref(&int));
                queries.push(float_query(&format!("((_ to_fp {e} {s}) RNE {int})"), &result));
                let result = fp_bits(FpOp::FromUnsigned, width, std::slice::from_ref(&int));
                queries.push(float_query(&format!("((_ to_fp_unsigned {e} {s}) RNE {int})"), &result));
                // Out of range is unspecified in SMT-LIB: compare where the result is that of a conversion with
                // room for every finite number.
                let room = 17_000;
                let exact = fp_bits(FpOp::ToSigned, room, &args[..1]);
                let invalid = exact.bit_length() == room && !exact.bit(room - 2);
                let signed = fp_bits(FpOp::ToSigned, n, &args[..1]);
                if !invalid && sext_bits(&signed, room) == exact {
                    queries.push((format!("((_ fp.to_sbv {n}) RTZ {a})"), signed.to_string()));
                }
                let unsigned = fp_bits(FpOp::ToUnsigned, n, &args[..1]);
                if !invalid && zext_bits(&unsigned, room) == exact {
                    queries.push((format!("((_ fp.to_ubv {n}) RTZ {a})"), unsigned.to_string()));
                }
            }
        }
    }
    check(&queries);
}
