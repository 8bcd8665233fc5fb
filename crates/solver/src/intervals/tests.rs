//! Intervals contain every value (soundness), and are exact where a decision hangs on them.

use super::*;
use crate::common::{Random, holds, path};
use forkwise_expr::{Assignment, Evaluator};

fn fold(ex: &mut Exprs, op: Op, width: u32, x: u64, y: u64) -> u64 {
    let (x, y) = (ex.constant(width, x), ex.constant(width, y));
    let folded = ex.bin(op, x, y);
    ex.const_u64(folded).expect("constants fold")
}

/// Every operator on every pair of intervals of three-bit words.
#[test]
fn arithmetic_is_sound_and_comparisons_are_exact() {
    let width = 3;
    let mut ex = Exprs::new();
    let all: Vec<Interval> = (0..8).flat_map(|l| (l..8u64).map(move |h| (l, h))).collect();
    for op in Op::ALL.into_iter().filter(|op| !op.is_unary()) {
        let values: Vec<Vec<u64>> =
            (0..8).map(|x| (0..8).map(|y| fold(&mut ex, op, width, x, y)).collect()).collect();
        let result_width = match op {
            Op::Concat => 6,
            _ => op.result_width(width),
        };
        for &a in &all {
            for &b in &all {
                let found = binary(op, width, width, top(result_width), a, b);
                let mut exact: Option<Interval> = None;
                for x in a.0..=a.1 {
                    for y in b.0..=b.1 {
                        let v = values[x as usize][y as usize];
                        exact = Some(exact.map_or((v, v), |(l, h)| (l.min(v), h.max(v))));
                    }
                }
                let exact = exact.expect("intervals are not empty");
                assert!(found.0 <= exact.0 && exact.1 <= found.1, "{op:?} {a:?} {b:?}: {found:?}, {exact:?}");
                let precise = matches!(op, Op::Eq | Op::Ult | Op::Ule | Op::UDiv if b.0 > 0);
                assert!(!precise || found == exact, "{op:?} {a:?} {b:?}: {found:?}, {exact:?}");
            }
        }
    }
}

/// Every comparison with every constant, on either side, negated or not: the facts hold for exactly the values that
/// satisfy it, or for more when those are no interval.
#[test]
fn facts_are_those_of_the_constraint() {
    for op in [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle] {
        for k in 0..8u64 {
            for case in 0..4 {
                let mut ex = Exprs::new();
                let s = ex.symbol(SymbolId(0));
                let e = ex.extract(s, 0, 3);
                let constant = ex.constant(3, k);
                let c = if case & 1 == 0 { ex.bin(op, e, constant) } else { ex.bin(op, constant, e) };
                let c = if case & 2 == 0 { c } else { ex.not(c) };
                let values: Vec<u64> = (0..8).filter(|&v| holds(&ex, c, &[v as u8])).collect();
                let (Some(&low), Some(&high)) = (values.first(), values.last()) else { continue };
                if ex.is_true(c) {
                    continue;
                }
                let mut intervals = Intervals::default();
                intervals.learn(&ex, c, true);
                let fact = intervals.facts.get(&e).copied().unwrap_or((0, 7));
                assert!(fact.0 <= low && high <= fact.1, "{}: {fact:?}, {values:?}", ex.display(c));
                let dense = values.len() as u64 == high - low + 1;
                assert!(!dense || fact == (low, high), "{}: {fact:?}, {values:?}", ex.display(c));
            }
        }
    }
}

/// Whole decisions against enumeration of two bytes.
#[test]
fn decisions_are_right() {
    let mut decided = 0;
    for seed in 0..400 {
        let mut r = Random::new(seed);
        let mut ex = Exprs::new();
        let hint = r.bytes(2);
        let set = path(&mut ex, &mut r, 2, 16, 2, &hint);
        let constraints: Vec<Expr> = set.iter().collect();
        let conditions: Vec<Expr> = path(&mut ex, &mut r, 2, 16, 3, &hint).iter().collect();
        for c in conditions {
            let answer = Intervals::default().decide(&mut ex, &mut Domains::default(), &constraints, c);
            let Some(answer) = answer else { continue };
            decided += 1;
            let mut evaluator = Evaluator::default();
            for v in (0..=u16::MAX).step_by(7) {
                let bytes = v.to_le_bytes();
                let mut value = |e| evaluator.eval_u64(&ex, e, Assignment { id: 0, bytes: &bytes }) == 1;
                if constraints.iter().all(|&k| value(k)) {
                    assert_eq!(value(c), answer, "{} under {bytes:?}", ex.display(c));
                }
            }
        }
    }
    assert!(decided > 50, "{decided}");
}
