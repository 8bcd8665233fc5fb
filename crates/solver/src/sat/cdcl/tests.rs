//! The SAT solver against enumeration, through clause reductions, and within its limits.

use super::*;
use crate::deadline::Deadline;
use proptest::prelude::*;

const FREE: Limits = Limits { deadline: Deadline::NONE, conflicts: u64::MAX };

fn lit(n: i32) -> SatLit {
    SatLit::new(n.unsigned_abs() - 1, n < 0)
}

fn holds(assignment: u32, clause: &[i32]) -> bool {
    clause.iter().any(|&l| (assignment >> (l.unsigned_abs() - 1) & 1 == 1) == (l > 0))
}

/// Pigeons into one hole fewer: unsatisfiable and hard without counting.
fn pigeons(s: &mut Cdcl, n: u32) {
    for _ in 0..n * (n - 1) {
        s.new_var();
    }
    let var = |p: u32, h: u32| SatLit::new(p * (n - 1) + h, false);
    for p in 0..n {
        let clause: Vec<SatLit> = (0..n - 1).map(|h| var(p, h)).collect();
        s.add_clause(&clause);
    }
    for h in 0..n - 1 {
        for p in 0..n {
            for q in 0..p {
                s.add_clause(&[!var(p, h), !var(q, h)]);
            }
        }
    }
}

#[test]
fn learns_through_reductions() {
    let mut s = Cdcl { max_learnts: 50, ..Cdcl::default() };
    pigeons(&mut s, 7);
    let scope: Vec<u32> = (0..42).collect();
    let guide = Guide { scope: &scope, inputs: &scope, phase: &[false; 42] };
    assert_eq!(s.solve(&[], &guide, FREE), Verdict::Unsat);
    assert!(s.max_learnts > 50, "the test must reach a reduction");
}

#[test]
fn conflict_limit_holds() {
    let mut s = Cdcl::default();
    pigeons(&mut s, 10);
    let scope: Vec<u32> = (0..90).collect();
    let guide = Guide { scope: &scope, inputs: &scope, phase: &[false; 90] };
    let limits = Limits { deadline: Deadline::NONE, conflicts: 100 };
    assert_eq!(s.solve(&[], &guide, limits), Verdict::Unknown);
    assert!(s.conflicts() <= 101);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Random clauses over ten variables and several queries with assumptions, against enumeration.
    #[test]
    fn agrees_with_enumeration(
        clauses in prop::collection::vec(prop::collection::vec((1i32..=10, any::<bool>()), 2..4), 10..45),
        queries in prop::collection::vec(prop::collection::vec((1i32..=10, any::<bool>()), 0..6), 1..8),
    ) {
        let sign = |&(v, n): &(i32, bool)| if n { -v } else { v };
        let clauses: Vec<Vec<i32>> = clauses.iter().map(|c| c.iter().map(sign).collect()).collect();
        let mut s = Cdcl::default();
        for _ in 0..10 { s.new_var(); }
        for c in &clauses {
            s.add_clause(&c.iter().map(|&l| lit(l)).collect::<Vec<_>>());
        }
        let scope: Vec<u32> = (0..10).collect();
        for q in &queries {
            let q: Vec<i32> = q.iter().map(sign).collect();
            let assumptions: Vec<SatLit> = q.iter().map(|&l| lit(l)).collect();
            let model = |units: &[i32]| (0..1024u32).any(|a| {
                units.iter().all(|&l| holds(a, &[l])) && clauses.iter().all(|c| holds(a, c))
            });
            let guide = Guide { scope: &scope, inputs: &scope, phase: &[true; 10] };
            match s.solve(&assumptions, &guide, FREE) {
                Verdict::Sat => {
                    let found = (0..10).filter(|&v| s.value(v)).fold(0, |a, v| a | 1 << v);
                    prop_assert!(q.iter().all(|&l| holds(found, &[l])));
                    prop_assert!(clauses.iter().all(|c| holds(found, c)));
                }
                Verdict::Unsat => {
                    prop_assert!(!model(&q));
                    let core: Vec<i32> = q.iter().copied().filter(|&l| s.failed(lit(l))).collect();
                    prop_assert!(!model(&core), "the core is unsatisfiable by itself");
                }
                Verdict::Unknown => prop_assert!(false, "no limit was set"),
            }
        }
    }
}
