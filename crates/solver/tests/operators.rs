//! Every operator at every width: the circuit computes what evaluation computes.

mod common;

use common::{BINARY, Random, bare, word};
use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, Kind, Op, SymbolId};
use forkwise_solver::{ConstraintSet, Solver};

/// Under constraints that fix all inputs, `e` has its value and no other.
fn check_fixed(solver: &mut Solver, ex: &mut Exprs, e: Expr, bytes: &[u8]) {
    let hint = Assignment { id: 0, bytes };
    let value = Evaluator::default().eval(ex, e, hint);
    let mut set = ConstraintSet::default();
    for s in ex.support(e).iter() {
        let symbol = ex.symbol(*s);
        let byte = ex.constant(8, u64::from(bytes[s.0 as usize]));
        let c = ex.eq(symbol, byte);
        set.add(ex, c);
    }
    let k = ex.constant_bits(&value);
    let same = ex.eq(e, k);
    let differs = ex.not(same);
    if ex.kind(same) == Kind::Const {
        assert!(ex.is_true(same));
        return;
    }
    assert!(solver.check(ex, &set, same, hint).is_sat(), "{} = {value:?}", ex.display(e));
    assert!(solver.check(ex, &set, differs, hint).is_unsat(), "{} != {value:?}", ex.display(e));
}

fn interesting(r: &mut Random, bytes: usize) -> Vec<u8> {
    match r.below(5) {
        0 => vec![0; bytes],
        1 => vec![0xff; bytes],
        2 => {
            let mut v = vec![0; bytes];
            v[0] = r.next() as u8;
            v
        }
        _ => r.bytes(bytes),
    }
}

fn operand_pair(r: &mut Random, width: u32) -> Vec<u8> {
    let n = width.div_ceil(8) as usize;
    let mut bytes = interesting(r, n);
    bytes.extend(interesting(r, n));
    bytes
}

#[test]
fn binary_operators_at_every_width() {
    let mut r = Random::new(1);
    for width in (1..=65).chain([128]) {
        let mut ex = Exprs::new();
        let mut solver = Solver::new(bare());
        let a = word(&mut ex, 0, width);
        let b = word(&mut ex, width.div_ceil(8), width);
        for op in BINARY {
            let e = ex.bin(op, a, b);
            let heavy = matches!(op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::Mul);
            for _ in 0..if heavy && width > 32 { 2 } else { 4 } {
                let bytes = operand_pair(&mut r, width);
                check_fixed(&mut solver, &mut ex, e, &bytes);
            }
        }
        assert_eq!(solver.stats().wrong_models, 0);
    }
}

#[test]
fn constant_operands_at_every_width() {
    let mut r = Random::new(2);
    for width in (1..=65).chain([128]) {
        let mut ex = Exprs::new();
        let mut solver = Solver::new(bare());
        let a = word(&mut ex, 0, width);
        for op in BINARY {
            for k in [0, 1, u64::MAX, 10, r.next(), 1 << r.below(64)] {
                let k = ex.constant(width, k);
                let e = if r.below(4) == 0 { ex.bin(op, k, a) } else { ex.bin(op, a, k) };
                let bytes = interesting(&mut r, width.div_ceil(8) as usize);
                check_fixed(&mut solver, &mut ex, e, &bytes);
            }
        }
    }
}

#[test]
fn unary_and_structural_operators_at_every_width() {
    let mut r = Random::new(3);
    for width in (1..=65).chain([128]) {
        let mut ex = Exprs::new();
        let mut solver = Solver::new(bare());
        let a = word(&mut ex, 0, width);
        let n = width.div_ceil(8);
        let c = word(&mut ex, n, 1);
        let not = ex.not(a);
        let neg = ex.neg(a);
        let lo = r.below(width as usize) as u32;
        let part = ex.extract(a, lo, 1 + r.below((width - lo) as usize) as u32);
        let zext = ex.zext(a, width + 7);
        let sext = ex.sext(a, width + 7);
        let ite = ex.ite(c, a, neg);
        for e in [not, neg, part, zext, sext, ite] {
            for _ in 0..4 {
                let bytes = interesting(&mut r, n as usize + 1);
                check_fixed(&mut solver, &mut ex, e, &bytes);
            }
        }
    }
}

#[test]
fn tables_of_every_size() {
    let mut r = Random::new(4);
    let mut solver = Solver::new(bare());
    for size in [1usize, 2, 3, 5, 8, 16, 17, 100, 255, 256] {
        let mut ex = Exprs::new();
        let byte = ex.symbol(SymbolId(1));
        let mixed: Vec<Expr> =
            (0..size).map(|i| if i % 5 == 3 { byte } else { ex.constant(8, r.next()) }).collect();
        let table = ex.make_table(&mixed);
        let index = ex.symbol(SymbolId(0));
        let wide = ex.zext(index, 64);
        let three = ex.constant(64, 3);
        let shifted = ex.bin(Op::Add, wide, three);
        for index in [index, wide, shifted] {
            let e = ex.lookup(table, index);
            for i in [0, 1, size / 2, size - 1, size, 255] {
                let bytes = [i.min(255) as u8, r.next() as u8];
                check_fixed(&mut solver, &mut ex, e, &bytes);
            }
        }
    }
}

/// One operand free: the answer is a model (verified by the chain) when a value exists, and exactly then.
#[test]
fn free_operands_of_small_words() {
    for width in 1..=6u32 {
        let mut ex = Exprs::new();
        let mut solver = Solver::new(bare());
        let set = ConstraintSet::default();
        let hint = Assignment { id: 0, bytes: &[0, 0] };
        let a = word(&mut ex, 0, width);
        let b = word(&mut ex, 1, width);
        for op in BINARY {
            let e = ex.bin(op, a, b);
            let out = ex.width(e);
            let mut reached = vec![false; 1 << out];
            for x in 0..1u8 << width {
                for y in 0..1u8 << width {
                    let bytes = [x, y];
                    reached[Evaluator::default().eval_u64(&ex, e, Assignment { id: 0, bytes: &bytes })
                        as usize] = true;
                }
            }
            let step = (1 << out) / 16 + 1;
            for (value, &reached) in reached.iter().enumerate().step_by(step) {
                let k = ex.constant(out, value as u64);
                let c = ex.eq(e, k);
                let answer = solver.check(&mut ex, &set, c, hint);
                assert_eq!(answer.is_sat(), reached, "{op:?} at {width} bits = {value}");
                assert_eq!(answer.is_unsat(), !reached, "{op:?} at {width} bits = {value}");
            }
        }
        assert_eq!(solver.stats().wrong_models, 0);
    }
}
