//! Layers change the time an answer takes, never the answer: random paths through every configuration and z3.

mod common;

use common::{Random, bare, condition, holds, path};
use forkwise_expr::{Assignment, Exprs, SymbolId};
use forkwise_solver::{Answer, Config, SatEngine, Solver};
use proptest::prelude::*;

/// The model satisfies the condition and the whole path condition, patched into the hint.
fn verify(
    ex: &Exprs,
    set: &forkwise_solver::ConstraintSet,
    c: forkwise_expr::Expr,
    hint: &[u8],
    m: &[(SymbolId, u8)],
) {
    let mut bytes = hint.to_vec();
    for &(s, v) in m {
        bytes[s.0 as usize] = v;
    }
    assert!(holds(ex, c, &bytes), "the condition: {}", ex.display(c));
    for k in set.iter() {
        assert!(holds(ex, k, &bytes), "a constraint: {}", ex.display(k));
    }
}

fn configurations() -> Vec<Config> {
    let all = Config { smt: None, ..Config::default() };
    vec![
        bare(),
        all.clone(),
        Config { independence: false, ..all.clone() },
        Config { cache: false, ..all.clone() },
        Config { model_reuse: false, ..all.clone() },
        Config { ranges: false, ..all.clone() },
        Config { ranges: true, ..bare() },
        Config { cache: true, ..bare() },
        Config { sat: SatEngine::Own, ..bare() },
        Config { sat: SatEngine::Cadical, ..bare() },
    ]
}

/// A sequence of queries along a growing path; all solvers must agree on each.
fn run(seed: u64, symbols: u32, max_width: u32, solvers: &mut [Solver]) {
    let mut r = Random::new(seed);
    let mut ex = Exprs::new();
    let mut hint = r.bytes(symbols as usize);
    let mut set = path(&mut ex, &mut r, symbols, max_width, 2, &hint);
    for _ in 0..10 {
        let steps = 1 + r.below(8);
        let c = condition(&mut ex, &mut r, symbols, max_width, steps, &hint);
        let mut verdicts = Vec::new();
        let mut model = None;
        for s in solvers.iter_mut() {
            let answer = s.check(&mut ex, &set, c, Assignment { id: 0, bytes: &hint });
            if let Answer::Sat(m) = &answer
                && !s.config().smt_only
            {
                verify(&ex, &set, c, &hint, m);
                model = Some(m.clone());
            }
            verdicts.push(answer.verdict());
        }
        assert!(verdicts.iter().all(|v| v == &verdicts[0]), "{verdicts:?} on {}", ex.display(c));
        if let Some(m) = model {
            set.add(&mut ex, c);
            for (s, v) in m {
                hint[s.0 as usize] = v;
            }
        } else {
            let negated = ex.not(c);
            set.add(&mut ex, negated);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn layers_agree(seed in any::<u64>()) {
        let mut solvers: Vec<Solver> = configurations().into_iter().map(Solver::new).collect();
        run(seed, 4, 16, &mut solvers);
    }

    #[test]
    fn layers_agree_on_wide_words(seed in any::<u64>()) {
        let mut solvers: Vec<Solver> = configurations().into_iter().take(6).map(Solver::new).collect();
        run(seed, 3, 72, &mut solvers);
    }
}

#[test]
fn the_chain_agrees_with_z3() {
    if !common::z3_present() {
        return;
    }
    let smt_only = Config { smt_only: true, ..Config::default() };
    let mut solvers = vec![Solver::new(Config { smt: None, ..Config::default() }), Solver::new(smt_only)];
    for seed in 0..40 {
        // A new manager each time: the generation tells the solvers to forget.
        run(1000 + seed, 4, 20, &mut solvers);
    }
}

#[test]
fn cross_checking_finds_no_disagreement_and_changes_nothing() {
    if !common::z3_present() {
        return;
    }
    let mut solvers = vec![
        Solver::new(Config { smt: None, ..Config::default() }),
        Solver::new(Config { cross_check: true, ..Config::default() }),
    ];
    for seed in 0..10 {
        run(5000 + seed, 4, 16, &mut solvers);
    }
    assert_eq!(solvers[1].stats().disagreements, 0);
    assert!(solvers[1].stats().smt_calls > 50);
}
