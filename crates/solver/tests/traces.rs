//! Query logs are exact: what was recorded runs again with the same answers, and damage is an error with a line.

mod common;

use common::{Random, condition, path};
use forkwise_expr::{Assignment, Exprs, FpOp};
use forkwise_solver::trace::{Trace, TraceError, replay};
use forkwise_solver::{Answer, Config, ConstraintSet, Solver};
use std::path::Path;

/// A log of random queries; the verdicts in order.
fn record(log: &Path, seeds: std::ops::Range<u64>) -> Vec<&'static str> {
    let mut verdicts = Vec::new();
    let config = Config { log: Some(log.to_path_buf()), smt: None, ..Config::default() };
    let mut solver = Solver::new(config);
    for seed in seeds {
        let mut r = Random::new(seed);
        // A manager each: the log must forget handles when the generation changes.
        let mut ex = Exprs::new();
        let mut hint = r.bytes(5);
        let mut set = path(&mut ex, &mut r, 5, 70, 3, &hint);
        for _ in 0..6 {
            let c = condition(&mut ex, &mut r, 5, 70, 5, &hint);
            let answer = solver.check(&mut ex, &set, c, Assignment { id: 0, bytes: &hint });
            verdicts.push(answer.verdict());
            if let Answer::Sat(model) = answer {
                set.add(&mut ex, c);
                model.iter().for_each(|&(s, v)| hint[s.0 as usize] = v);
            }
        }
    }
    verdicts
}

#[test]
fn a_log_replays_to_the_same_answers_in_any_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("queries");
    let verdicts = record(&log, 0..15);
    let mut trace = Trace::read(&log).unwrap();
    assert_eq!(trace.len(), verdicts.len());
    let sat = verdicts.iter().filter(|v| **v == "sat").count();
    for config in [Config::default(), common::bare(), Config { independence: false, ..Config::default() }] {
        let report = trace.replay(Config { smt: None, ..config }, None);
        assert_eq!((report.queries, report.sat, report.contradictions), (verdicts.len(), sat, 0));
        assert!(report.rate() > 0.0);
    }
    if common::z3_present() {
        let report = replay(&log, Config { smt_only: true, ..Config::default() }).unwrap();
        assert_eq!((report.sat, report.contradictions), (sat, 0));
        assert_eq!(report.stats.smt_calls, verdicts.len() as u64);
    }
}

#[test]
fn logs_are_the_same_in_every_run() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    record(&a, 20..25);
    record(&b, 20..25);
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

#[test]
fn floating_point_is_logged() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("queries");
    let mut ex = Exprs::new();
    let a = common::word(&mut ex, 0, 32);
    let nan = ex.fp(FpOp::IsNan, 1, &[a]);
    let ten = ex.constant(32, u64::from(10f32.to_bits()));
    let below = ex.fp(FpOp::Lt, 1, &[a, ten]);
    let config = Config { log: Some(log.clone()), smt: None, ..Config::default() };
    let mut solver = Solver::new(config);
    let mut set = ConstraintSet::default();
    set.add(&mut ex, below);
    let hint = Assignment { id: 0, bytes: &[] };
    assert!(solver.check(&mut ex, &set, nan, hint).is_unsat());
    drop(solver);
    let report = replay(&log, Config { smt: None, ..Config::default() }).unwrap();
    assert_eq!((report.unsat, report.contradictions), (1, 0));
}

#[test]
fn damage_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("queries");
    record(&log, 30..32);
    let text = std::fs::read(&log).unwrap();
    let mut r = Random::new(9);
    let mut errors = 0;
    for round in 0..400 {
        let mut damaged = text.clone();
        if round % 3 == 0 {
            damaged.truncate(r.below(damaged.len()));
        }
        for _ in 0..r.below(4) {
            if damaged.is_empty() {
                break;
            }
            let at = r.below(damaged.len());
            damaged[at] = r.next() as u8;
        }
        let path = dir.path().join("damaged");
        std::fs::write(&path, &damaged).unwrap();
        // Some damage cannot be seen; none may panic.
        errors += usize::from(Trace::read(&path).is_err());
    }
    assert!(errors > 100, "{errors}");
    assert!(matches!(Trace::read(&dir.path().join("missing")), Err(TraceError::Io(..))));
    assert!(matches!(Trace::read(dir.path()), Err(TraceError::Io(..))));
    std::fs::write(&log, "something else\n").unwrap();
    let message = Trace::read(&log).err().unwrap().to_string();
    assert!(message.contains("line 1") && message.contains("not a query log"), "{message}");
}
