//! Floating point: z3's answers (through our translation) and our circuits both agree with evaluation, bit for bit.

mod common;

use common::{FLOAT_OPS, Random, bare, word};
use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, FpOp};
use forkwise_solver::{Config, ConstraintSet, Solver};

fn precision(width: u32) -> u32 {
    match width {
        16 => 11,
        32 => 24,
        64 => 53,
        _ => 113,
    }
}

/// Random bits, with the cases rounding and classification turn on.
fn operand(r: &mut Random, width: u32) -> u128 {
    let mantissa = precision(width) - 1;
    let exponent_ones = (1u128 << (width - 1 - mantissa)) - 1;
    let bias = exponent_ones >> 1;
    let random = u128::from(r.next()) << 64 | u128::from(r.next());
    let fraction = match r.below(5) {
        0 => 0,
        1 => (1 << mantissa) - 1,
        2 => 1 << r.below(mantissa as usize),
        _ => random & ((1 << mantissa) - 1),
    };
    let exponent = match r.below(10) {
        0 => 0,
        1 => exponent_ones,
        2 => exponent_ones - 1,
        3 => 1,
        4..=7 => bias + u128::from(r.next() % 70) % bias - 35 % bias,
        _ => random >> 64 & exponent_ones,
    };
    let sign = u128::from(r.next() >> 20 & 1);
    sign << (width - 1) | (exponent & exponent_ones) << mantissa | fraction
}

fn integer(r: &mut Random, width: u32) -> u128 {
    let random = u128::from(r.next()) << 64 | u128::from(r.next());
    let value = match r.below(4) {
        0 => random >> r.below(128),
        1 => (1u128 << r.below(width as usize)).wrapping_sub(u128::from(r.next() & 3)),
        2 => (random >> (64 + r.below(60))).wrapping_neg(),
        _ => random,
    };
    if width == 128 { value } else { value & ((1 << width) - 1) }
}

struct Case {
    e: Expr,
    bytes: Vec<u8>,
}

/// An operation on fresh operands with random values.
fn case(ex: &mut Exprs, r: &mut Random, op: FpOp, width: u32) -> Case {
    let int_width = [8, 16, 32, 64][r.below(4)];
    let (arg_width, out) = match op {
        FpOp::FromSigned | FpOp::FromUnsigned => (int_width, width),
        FpOp::ToSigned | FpOp::ToUnsigned => (width, int_width),
        FpOp::ToFloat => (width, *[16, 32, 64].iter().filter(|&&w| w != width).nth(r.below(2)).unwrap()),
        _ if op.is_predicate() => (width, 1),
        _ => (width, width),
    };
    let mut args = Vec::new();
    let mut bytes = Vec::new();
    for i in 0..op.arity() as u32 {
        args.push(word(ex, i * arg_width / 8, arg_width));
        let from_integer = matches!(op, FpOp::FromSigned | FpOp::FromUnsigned);
        let mut value = if from_integer { integer(r, arg_width) } else { operand(r, arg_width) };
        // Related operands make cancellation and equality happen.
        if i > 0 && r.below(3) == 0 {
            let mut first = [0u8; 16];
            first[..arg_width as usize / 8].copy_from_slice(&bytes[..arg_width as usize / 8]);
            value = u128::from_le_bytes(first)
                ^ u128::from(r.next() % 3)
                ^ (u128::from(r.next() & 1) << (arg_width - 1));
        }
        bytes.extend_from_slice(&value.to_le_bytes()[..arg_width as usize / 8]);
    }
    Case { e: ex.fp(op, out, &args), bytes }
}

/// With all inputs fixed the operation has its value and no other.
fn check(solver: &mut Solver, ex: &mut Exprs, case: &Case) {
    let hint = Assignment { id: 0, bytes: &case.bytes };
    let value = Evaluator::default().eval(ex, case.e, hint);
    let mut set = ConstraintSet::default();
    for s in ex.support(case.e).iter() {
        let symbol = ex.symbol(*s);
        let byte = ex.constant(8, u64::from(case.bytes[s.0 as usize]));
        let c = ex.eq(symbol, byte);
        set.add(ex, c);
    }
    let k = ex.constant_bits(&value);
    let same = ex.eq(case.e, k);
    let differs = ex.not(same);
    let text = |ex: &Exprs| format!("{} = {value:x?} with {:x?}", ex.display(case.e), case.bytes);
    let answer = solver.check(ex, &set, same, hint);
    assert!(answer.is_sat(), "{answer:?}: {}", text(ex));
    let answer = solver.check(ex, &set, differs, hint);
    assert!(answer.is_unsat(), "{answer:?}: not {}", text(ex));
}

#[test]
fn z3_agrees_with_evaluation() {
    if !common::z3_present() {
        return;
    }
    let mut r = Random::new(5);
    let mut solver = Solver::new(Config { smt_only: true, ..Config::default() });
    for op in FLOAT_OPS.into_iter().chain([FpOp::FromUnsigned]) {
        // z3 needs minutes for the remainder of larger formats.
        for width in if op == FpOp::Rem { vec![16] } else { vec![16, 32, 64] } {
            for _ in 0..4 {
                let mut ex = Exprs::new();
                let case = case(&mut ex, &mut r, op, width);
                check(&mut solver, &mut ex, &case);
            }
        }
    }
}

#[test]
fn circuits_agree_with_evaluation() {
    let mut r = Random::new(6);
    for op in FLOAT_OPS.into_iter().chain([FpOp::FromUnsigned]) {
        if op == FpOp::Rem {
            continue;
        }
        for width in [16, 32, 64] {
            let mut solver = Solver::new(bare());
            let mut ex = Exprs::new();
            let heavy = width == 64 && matches!(op, FpOp::Mul | FpOp::Div | FpOp::Fma | FpOp::Sqrt);
            for _ in 0..if heavy { 25 } else { 60 } {
                let case = case(&mut ex, &mut r, op, width);
                check(&mut solver, &mut ex, &case);
            }
        }
    }
}

#[test]
fn extended_precision_is_refused_with_a_reason() {
    let mut ex = Exprs::new();
    let (a, b) = (word(&mut ex, 0, 80), word(&mut ex, 10, 80));
    let sum = ex.fp(FpOp::Add, 80, &[a, b]);
    let c = ex.fp(FpOp::Lt, 1, &[sum, a]);
    let mut solver = Solver::new(Config::default());
    let answer = solver.check(&mut ex, &ConstraintSet::default(), c, Assignment { id: 0, bytes: &[] });
    let forkwise_solver::Answer::Unknown(why) = answer else { panic!("{answer:?}") };
    assert!(why.to_string().contains("80-bit"), "{why}");
}
