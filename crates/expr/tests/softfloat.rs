//! Floating point in software against the machine's own: float and double against the host, x87 and quad against a
//! small C program compiled here. Without a C compiler the latter say so and pass.

mod support;

use forkwise_expr::semantics::{bin_bits, fp_u64};
use forkwise_expr::softfloat::{FpFormat, fp_convert, fp_from_int, fp_op, fp_to_int};
use forkwise_expr::{Bits, FpOp, Op};
use std::io::Write;
use std::process::{Command, Stdio};
use support::{ROUNDING_MODES, Rng};

/// An encoding, with a liking for the edges of the format.
fn float(rng: &mut Rng, f: FpFormat) -> Bits {
    let w = f.width();
    let p = f.precision();
    let stored = if f == FpFormat::X87 { 64 } else { p - 1 };
    let top = (1u128 << (w - 1 - stored)) - 1;
    let bias = top / 2;
    let mut fraction = (u128::from(rng.next()) << 64 | u128::from(rng.next())) & ((1 << (p - 1)) - 1);
    if rng.range(0, 2) == 0 {
        fraction &= !((1 << (p / 2)) - 1);
    }
    let (exponent, fraction) = match rng.range(0, 12) {
        0 => (0, 0),
        1 => (0, 1),
        2 => (0, fraction),
        3 => (1, fraction & 3),
        4 => (top - 1, (1 << (p - 1)) - 1),
        5 => (top, 0),
        6 => (top, fraction | 1),
        7 => (bias, 0),
        8 => (bias + u128::from(rng.range(0, 130)).min(bias - 1), fraction),
        9 | 10 => (bias - 2 + u128::from(rng.range(0, 5)), fraction),
        _ => (u128::from(rng.next()) % top, fraction),
    };
    let integer = if f == FpFormat::X87 && exponent != 0 { 1 << 63 } else { 0 };
    let sign = u128::from(rng.next() & 1) << (w - 1);
    Bits::from_u128(w, sign | exponent << stored | integer | fraction)
}

#[test]
fn host_and_software_agree() {
    let mut rng = Rng(3);
    let mut ops =
        vec![FpOp::Add, FpOp::Sub, FpOp::Mul, FpOp::Div, FpOp::Sqrt, FpOp::Fma, FpOp::Eq, FpOp::Lt, FpOp::Le];
    ops.push(FpOp::IsNan);
    ops.push(FpOp::Rem);
    ops.extend(ROUNDING_MODES.map(FpOp::RoundToIntegral));
    for f in [FpFormat::Single, FpFormat::Double] {
        let w = f.width();
        for _ in 0..20_000 {
            let args: Vec<Bits> = (0..3).map(|_| float(&mut rng, f)).collect();
            let words: Vec<u64> = args.iter().map(Bits::low_u64).collect();
            for &op in &ops {
                let n = op.arity();
                let host = fp_u64(op, if op.is_predicate() { 1 } else { w }, w, &words[..n]);
                let soft = fp_op(f, op, &args[..n]).low_u64();
                assert_eq!(host, soft, "{op:?} of {:x?}", &words[..n]);
            }
            let other = if w == 32 { FpFormat::Double } else { FpFormat::Single };
            let host = fp_u64(FpOp::ToFloat, other.width(), w, &words[..1]);
            assert_eq!(host, fp_convert(f, other, &args[0]).low_u64(), "conversion of {:x}", words[0]);
            for n in [1, 7, 8, 16, 32, 53, 63, 64] {
                let int = rng.value(n);
                for signed in [false, true] {
                    let (to, from) = if signed {
                        (FpOp::ToSigned, FpOp::FromSigned)
                    } else {
                        (FpOp::ToUnsigned, FpOp::FromUnsigned)
                    };
                    let soft = fp_to_int(f, &args[0], n, signed).low_u64();
                    assert_eq!(fp_u64(to, n, w, &words[..1]), soft, "{to:?} {n} of {:x}", words[0]);
                    let soft = fp_from_int(f, &int, signed).low_u64();
                    assert_eq!(fp_u64(from, w, n, &[int.low_u64()]), soft, "{from:?} of {int}");
                }
            }
        }
    }
}

/// Reads operations as lines of words and prints results as hexadecimal limbs.
const PROGRAM: &str = r#"
#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
typedef long double T;
#ifdef QUAD
#undef T
typedef __float128 V;
#else
typedef long double V;
#endif
static V get(void) {
    unsigned long long hi, lo; V v; uint64_t w[2];
    if (scanf("%llx %llx", &hi, &lo) != 2) return 0;
    w[0] = lo; w[1] = hi; memset(&v, 0, sizeof v); memcpy(&v, w, sizeof v < 16 ? sizeof v : 16); return v;
}
static void put(V v) {
    uint64_t w[2] = {0, 0};
#ifdef QUAD
    memcpy(w, &v, 16);
#else
    memcpy(w, &v, 10);
#endif
    printf("%llx %llx\n", (unsigned long long)w[1], (unsigned long long)w[0]);
}
static void word(unsigned long long v) { printf("0 %llx\n", v); }
int main(void) {
    char op[32];
    while (scanf("%31s", op) == 1) {
        volatile V a = get(), b = get();
        if (!strcmp(op, "add")) put(a + b);
        else if (!strcmp(op, "sub")) put(a - b);
        else if (!strcmp(op, "mul")) put(a * b);
        else if (!strcmp(op, "div")) put(a / b);
        else if (!strcmp(op, "eq")) word(a == b);
        else if (!strcmp(op, "lt")) word(a < b);
        else if (!strcmp(op, "le")) word(a <= b);
        else if (!strcmp(op, "nan")) word(a != a);
        else if (!strcmp(op, "double")) { double d = (double)a; unsigned long long w; memcpy(&w, &d, 8); word(w); }
        else if (!strcmp(op, "float")) { float d = (float)a; unsigned w; memcpy(&w, &d, 4); word(w); }
        else if (!strcmp(op, "i64")) word((unsigned long long)(long long)a);
        else if (!strcmp(op, "i32")) word((unsigned)(int)a);
        else if (!strcmp(op, "u64")) word((unsigned long long)a);
        else if (!strcmp(op, "fromdouble")) { uint64_t w[2]; V x = a; memcpy(w, &x, 8); double d; memcpy(&d, w, 8); put(d); }
        else if (!strcmp(op, "fromfloat")) { unsigned w; V x = a; memcpy(&w, &x, 4); float d; memcpy(&d, &w, 4); put(d); }
        else if (!strcmp(op, "fromi64")) { long long w; V x = a; memcpy(&w, &x, 8); put(w); }
        else if (!strcmp(op, "fromu64")) { unsigned long long w; V x = a; memcpy(&w, &x, 8); put(w); }
#ifndef QUAD
        else if (!strcmp(op, "sqrt")) put(sqrtl(a));
        else if (!strcmp(op, "rem")) put(fmodl(a, b));
        else if (!strcmp(op, "trunc")) put(truncl(a));
        else if (!strcmp(op, "ceil")) put(ceill(a));
        else if (!strcmp(op, "floor")) put(floorl(a));
        else if (!strcmp(op, "round")) put(roundl(a));
        else if (!strcmp(op, "rint")) put(rintl(a));
#endif
        else word(0xbad);
    }
    return 0;
}
"#;

/// The result, as raw bits, of one operation of the C program.
fn expected(f: FpFormat, op: &str, a: &Bits, b: &Bits) -> Bits {
    use forkwise_expr::RoundingMode as R;
    let two = [a.clone(), b.clone()];
    let low = |n: u32| Bits::from_u64(n, a.low_u64());
    match op {
        "add" => fp_op(f, FpOp::Add, &two),
        "sub" => fp_op(f, FpOp::Sub, &two),
        "mul" => fp_op(f, FpOp::Mul, &two),
        "div" => fp_op(f, FpOp::Div, &two),
        "rem" => fp_op(f, FpOp::Rem, &two),
        "eq" => fp_op(f, FpOp::Eq, &two),
        "lt" => fp_op(f, FpOp::Lt, &two),
        "le" => fp_op(f, FpOp::Le, &two),
        "nan" => fp_op(f, FpOp::IsNan, &two[..1]),
        "sqrt" => fp_op(f, FpOp::Sqrt, &two[..1]),
        "trunc" => fp_op(f, FpOp::RoundToIntegral(R::Zero), &two[..1]),
        "ceil" => fp_op(f, FpOp::RoundToIntegral(R::Up), &two[..1]),
        "floor" => fp_op(f, FpOp::RoundToIntegral(R::Down), &two[..1]),
        "round" => fp_op(f, FpOp::RoundToIntegral(R::NearestAway), &two[..1]),
        "rint" => fp_op(f, FpOp::RoundToIntegral(R::NearestEven), &two[..1]),
        "double" => fp_convert(f, FpFormat::Double, a),
        "float" => fp_convert(f, FpFormat::Single, a),
        "i64" => fp_to_int(f, a, 64, true),
        "i32" => fp_to_int(f, a, 32, true),
        "u64" => fp_to_int(f, a, 64, false),
        "fromdouble" => fp_convert(FpFormat::Double, f, &low(64)),
        "fromfloat" => fp_convert(FpFormat::Single, f, &low(32)),
        "fromi64" => fp_from_int(f, &low(64), true),
        "fromu64" => fp_from_int(f, &low(64), false),
        _ => panic!("no operation {op}"),
    }
}

fn against_c(f: FpFormat, ops: &[&str], flags: &[&str]) {
    let dir = std::env::temp_dir().join(format!("forkwise-softfloat-{}-{f:?}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let (source, program) = (dir.join("t.c"), dir.join("t"));
    std::fs::write(&source, PROGRAM).expect("writing the program");
    let compiled =
        Command::new("gcc").args(flags).arg("-O1").arg("-o").arg(&program).arg(&source).arg("-lm").status();
    if !compiled.is_ok_and(|s| s.success()) {
        println!("no working gcc: not compared");
        return;
    }
    let mut rng = Rng(5);
    let mut cases = Vec::new();
    for &op in ops {
        for _ in 0..3000 {
            let (a, b) = match op {
                "fromdouble" => (Bits::from_u64(f.width(), float(&mut rng, FpFormat::Double).low_u64()), 0),
                "fromfloat" => (Bits::from_u64(f.width(), float(&mut rng, FpFormat::Single).low_u64()), 0),
                "fromi64" | "fromu64" => (Bits::from_u64(f.width(), rng.value(64).low_u64()), 0),
                _ => (float(&mut rng, f), 1),
            };
            let b = if b == 0 { Bits::from_u64(f.width(), 0) } else { float(&mut rng, f) };
            // Conversions out of range are undefined in C.
            if matches!(op, "i64" | "i32" | "u64") {
                let (n, signed) = (if op == "i32" { 32 } else { 64 }, op != "u64");
                let wide = fp_to_int(f, &a, 17_000, true);
                let narrow = fp_to_int(f, &a, n, signed);
                let back = if signed {
                    forkwise_expr::semantics::sext_bits(&narrow, 17_000)
                } else {
                    forkwise_expr::semantics::zext_bits(&narrow, 17_000)
                };
                if wide != back {
                    continue;
                }
            }
            cases.push((op, a, b));
        }
    }
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the compiled program runs");
    let input: String = cases
        .iter()
        .map(|(op, a, b)| {
            let (x, y) = (a.to_u128(), b.to_u128());
            format!("{op} {:x} {:x} {:x} {:x}\n", (x >> 64) as u64, x as u64, (y >> 64) as u64, y as u64)
        })
        .collect();
    let mut pipe = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends").expect("the program reads its input");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), cases.len());
    let mut wrong = Vec::new();
    for ((op, a, b), line) in cases.iter().zip(text.lines()) {
        let (hi, lo) = line.split_once(' ').expect("two words");
        let limb = |s: &str| u64::from_str_radix(s, 16).expect("hexadecimal");
        let want = expected(f, op, a, b);
        let got = Bits::from_limbs(want.width(), &[limb(lo), limb(hi)]);
        let nan = want.width() == f.width()
            && fp_op(f, FpOp::IsNan, std::slice::from_ref(&want)).low_u64() == 1
            && fp_op(f, FpOp::IsNan, std::slice::from_ref(&got)).low_u64() == 1;
        // Which NaN the C library's functions and the quad routines give is their choice; the processor's own
        // instructions are compared to the bit.
        let free_nan = f == FpFormat::Quad
            || matches!(*op, "rem" | "sqrt" | "trunc" | "ceil" | "floor" | "round" | "rint");
        if got != want && !(nan && free_nan) {
            wrong.push(format!("{op} {a} {b}: {want}, natively {got}"));
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
    assert!(
        wrong.is_empty(),
        "{} differ, for instance\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}

const COMMON: [&str; 17] = [
    "add",
    "sub",
    "mul",
    "div",
    "eq",
    "lt",
    "le",
    "nan",
    "double",
    "float",
    "i64",
    "i32",
    "u64",
    "fromdouble",
    "fromfloat",
    "fromi64",
    "fromu64",
];

#[test]
fn x87_agrees_with_long_double() {
    let mut ops = COMMON.to_vec();
    ops.extend(["sqrt", "rem", "trunc", "ceil", "floor", "round", "rint"]);
    against_c(FpFormat::X87, &ops, &[]);
}

#[test]
fn quad_agrees_with_float128() {
    against_c(FpFormat::Quad, &COMMON, &["-DQUAD"]);
}

#[test]
fn known_x87_values() {
    let x = |sign_exponent: u64, mantissa: u64| Bits::from_limbs(80, &[mantissa, sign_exponent]);
    let one = x(0x3fff, 1 << 63);
    let two = x(0x4000, 1 << 63);
    let third = fp_op(
        FpFormat::X87,
        FpOp::Div,
        &[one.clone(), fp_from_int(FpFormat::X87, &Bits::from_u64(8, 3), false)],
    );
    assert_eq!(third, x(0x3ffd, 0xaaaa_aaaa_aaaa_aaab));
    assert_eq!(
        fp_op(FpFormat::X87, FpOp::Sqrt, std::slice::from_ref(&two)),
        x(0x3fff, 0xb504_f333_f9de_6484)
    );
    // Invalid: the default NaN.
    let zero = x(0, 0);
    assert_eq!(fp_op(FpFormat::X87, FpOp::Div, &[zero.clone(), zero]), x(0xffff, 0xc000_0000_0000_0000));
    // An unnormal is an invalid operand.
    assert_eq!(fp_op(FpFormat::X87, FpOp::IsNan, &[x(0x3fff, 1)]).low_u64(), 1);
    assert_eq!(
        fp_op(FpFormat::X87, FpOp::Fma, &[two.clone(), two.clone(), one]),
        fp_from_int(FpFormat::X87, &Bits::from_u64(8, 5), false)
    );
    // Integers of any width, both ways.
    let big = bin_bits(Op::Shl, &Bits::from_u64(200, 3), &Bits::from_u64(200, 150));
    let f = fp_from_int(FpFormat::X87, &big, true);
    assert_eq!(fp_to_int(FpFormat::X87, &f, 200, true), big);
    assert_eq!(fp_to_int(FpFormat::X87, &f, 64, true).low_u64(), 1 << 63);
}

#[test]
fn bfloat_is_a_rounded_single() {
    let mut rng = Rng(9);
    for _ in 0..2000 {
        let v = float(&mut rng, FpFormat::BFloat);
        let wide = fp_convert(FpFormat::BFloat, FpFormat::Single, &v);
        let nan = fp_op(FpFormat::BFloat, FpOp::IsNan, std::slice::from_ref(&v)).low_u64() == 1;
        let quiet = if nan { v.low_u64() | 0x40 } else { v.low_u64() };
        assert_eq!(wide.low_u64(), quiet << 16);
        assert_eq!(fp_convert(FpFormat::Single, FpFormat::BFloat, &wide).low_u64(), quiet);
    }
}
