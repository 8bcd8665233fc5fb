//! The exact range of an expression, and what the cheap layers decide without a solver.

mod common;

use common::{Random, bare, condition, expression, holds, path, word};
use forkwise_expr::{Assignment, Evaluator, Exprs, Op, SymbolId};
use forkwise_solver::{Config, ConstraintSet, Solver};

#[test]
fn ranges_are_those_of_enumeration() {
    for seed in 0..60 {
        let mut r = Random::new(seed);
        let mut ex = Exprs::new();
        let hint = r.bytes(2);
        let set = path(&mut ex, &mut r, 2, 16, 2, &hint);
        let e = expression(&mut ex, &mut r, 2, 16, 4);
        if ex.width(e) > 64 {
            continue;
        }
        let mut exact: Option<(u64, u64)> = None;
        for v in 0..=u16::MAX {
            let bytes = v.to_le_bytes();
            if set.iter().all(|c| holds(&ex, c, &bytes)) {
                let v = Evaluator::default().eval_u64(&ex, e, Assignment { id: 0, bytes: &bytes });
                exact = Some(exact.map_or((v, v), |(l, h)| (l.min(v), h.max(v))));
            }
        }
        for config in [Config { smt: None, ..Config::default() }, bare()] {
            let found = Solver::new(config).range(&mut ex, &set, e, Assignment { id: 0, bytes: &hint });
            assert_eq!(found, exact, "seed {seed}: {}", ex.display(e));
        }
        let mut solver = Solver::new(Config { smt: None, ..Config::default() });
        let (low, high) = solver.bounds(&mut ex, &set, e, Assignment { id: 0, bytes: &hint }, 0);
        let (least, greatest) = exact.expect("the hint satisfies the set");
        assert!(low <= least && greatest <= high, "seed {seed}: {}", ex.display(e));
    }
}

/// Finding the extremes of a hash is breaking it; whoever only wants to know how long a table must be cannot wait.
#[test]
fn bounds_that_are_hard_to_find_are_left_wide() {
    let mut ex = Exprs::new();
    let mut hash = ex.constant(64, 0xcbf2_9ce4_8422_2325);
    let prime = ex.constant(64, 0x100_0000_01b3);
    for s in 0..8 {
        let s = ex.symbol(SymbolId(s));
        let s = ex.zext(s, 64);
        hash = ex.bin(Op::Xor, hash, s);
        hash = ex.bin(Op::Mul, hash, prime);
    }
    let mut solver = Solver::new(Config { smt: None, ..Config::default() });
    let bytes = *b"a name.\0";
    let hint = Assignment { id: 0, bytes: &bytes };
    let value = Evaluator::default().eval_u64(&ex, hash, hint);
    let (low, high) = solver.bounds(&mut ex, &ConstraintSet::default(), hash, hint, 0);
    assert!(low <= value && value <= high);
    // One query that is given up at each end; those before it are easy.
    assert!(solver.stats().conflicts < 20_000, "{:?}", solver.stats());
    assert_eq!(solver.stats().timeouts, 0);
}

#[test]
fn a_wide_range_takes_few_queries() {
    let mut ex = Exprs::new();
    let x = word(&mut ex, 0, 64);
    let (low, high) = (ex.constant(64, 1000), ex.constant(64, 1 << 60));
    let mut set = ConstraintSet::default();
    let c = ex.bin(Op::Ule, low, x);
    set.add(&mut ex, c);
    let c = ex.bin(Op::Ult, x, high);
    set.add(&mut ex, c);
    let mut solver = Solver::new(Config { smt: None, ..Config::default() });
    let hint = 5000u64.to_le_bytes();
    let range = solver.range(&mut ex, &set, x, Assignment { id: 0, bytes: &hint });
    assert_eq!(range, Some((1000, (1 << 60) - 1)));
    assert!(solver.stats().queries <= 130, "{:?}", solver.stats());
}

#[test]
fn single_bytes_and_bounds_need_no_solver() {
    let mut ex = Exprs::new();
    let mut solver = Solver::new(Config { smt: None, model_reuse: false, cache: false, ..Config::default() });
    let s = ex.symbol(SymbolId(0));
    let mut set = ConstraintSet::default();
    let (zero, nine) = (ex.constant(8, 48), ex.constant(8, 57));
    for c in [ex.bin(Op::Ule, zero, s), ex.bin(Op::Ule, s, nine)] {
        set.add(&mut ex, c);
    }
    let hint = Assignment { id: 0, bytes: b"5" };
    let wide = ex.zext(s, 32);
    let ten = ex.constant(32, 10);
    let product = ex.bin(Op::Mul, wide, ten);
    for (k, sat) in [(480, true), (481, false), (570, true), (580, false)] {
        let k = ex.constant(32, k);
        let c = ex.eq(product, k);
        assert_eq!(solver.check(&mut ex, &set, c, hint).is_sat(), sat);
    }
    // Two bytes: only intervals can tell.
    let t = ex.symbol(SymbolId(1));
    let t = ex.zext(t, 32);
    let sum = ex.bin(Op::Add, product, t);
    let limit = ex.constant(32, 1000);
    let c = ex.bin(Op::Ult, limit, sum);
    assert!(solver.check(&mut ex, &set, c, hint).is_unsat());
    let c = ex.bin(Op::Ule, sum, limit);
    assert!(solver.check(&mut ex, &set, c, hint).is_sat());
    assert_eq!((solver.stats().sat_calls, solver.stats().trivial), (0, 6));
}

#[test]
fn an_index_bounded_by_the_path_is_bounded() {
    let mut ex = Exprs::new();
    let mut solver = Solver::new(Config { smt: None, model_reuse: false, cache: false, ..Config::default() });
    let x = word(&mut ex, 0, 32);
    let mut set = ConstraintSet::default();
    let k = ex.constant(32, 100);
    let c = ex.bin(Op::Ult, x, k);
    set.add(&mut ex, c);
    let index = ex.zext(x, 64);
    let four = ex.constant(64, 4);
    let offset = ex.bin(Op::Mul, index, four);
    let size = ex.constant(64, 400);
    let outside = ex.bin(Op::Ule, size, offset);
    assert!(solver.check(&mut ex, &set, outside, Assignment { id: 0, bytes: &[] }).is_unsat());
    assert_eq!(solver.stats().sat_calls, 0);
}

/// Sets that grow and fork between the questions: what one remembers of a byte must not leak into its siblings.
#[test]
fn a_byte_that_stands_alone_is_ranged_without_queries() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut r = Random::new(seed);
        let mut ex = Exprs::new();
        let mut solver = Solver::new(Config { smt: None, ..Config::default() });
        let mut sets = vec![(ConstraintSet::default(), r.bytes(1))];
        for _ in 0..6 {
            let (mut set, mut hint) = sets[r.below(sets.len())].clone();
            let c = condition(&mut ex, &mut r, 1, 16, 3, &hint);
            let model: Option<u8> =
                (0..=255).find(|&v| holds(&ex, c, &[v]) && set.iter().all(|d| holds(&ex, d, &[v])));
            let answer = solver.check(&mut ex, &set, c, Assignment { id: 0, bytes: &hint });
            assert_eq!(answer.is_sat(), model.is_some(), "seed {seed}: {}", ex.display(c));
            if let Some(v) = model {
                set.add(&mut ex, c);
                hint = vec![v];
                sets.push((set.clone(), hint.clone()));
            }
            let e = expression(&mut ex, &mut r, 1, 16, 3);
            let values: Vec<u64> = (0..=255u8)
                .filter(|&v| set.iter().all(|c| holds(&ex, c, &[v])))
                .map(|v| Evaluator::default().eval_u64(&ex, e, Assignment { id: 0, bytes: &[v] }))
                .collect();
            let expected = values.iter().min().zip(values.iter().max()).map(|(&l, &h)| (l, h));
            let before = solver.stats().queries;
            let found = solver.range(&mut ex, &set, e, Assignment { id: 0, bytes: &hint });
            assert_eq!(found, expected, "seed {seed}: {}", ex.display(e));
            compared += u32::from(!ex.is_const(e) && solver.stats().queries == before);
        }
    }
    assert!(compared > 300, "{compared}");
}
