//! Time limits hold, and a missing, dying, silent or nonsensical SMT-LIB program is an answer, not an accident.

mod common;

use common::{bare, word};
use forkwise_expr::{Assignment, Expr, Exprs, FpOp, Op};
use forkwise_solver::{Answer, Config, ConstraintSet, Solver, Unknown};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const NO_HINT: Assignment<'static> = Assignment { id: 0, bytes: &[] };

/// p · q = n with 48-bit factors neither of which is 1: factoring a product of two primes.
fn factoring(ex: &mut Exprs) -> (ConstraintSet, Expr) {
    let (p, q) = (word(ex, 0, 48), word(ex, 6, 48));
    let (p, q) = (ex.zext(p, 96), ex.zext(q, 96));
    let product = ex.bin(Op::Mul, p, q);
    let n = ex.constant_bits(&{
        let n: u128 = 187_649_984_473_771u128 * 140_737_488_355_213u128;
        forkwise_expr::Bits::from_limbs(96, &[n as u64, (n >> 64) as u64])
    });
    let one = ex.constant(96, 1);
    let mut set = ConstraintSet::default();
    let order = ex.bin(Op::Ult, one, p);
    set.add(ex, order);
    let order = ex.bin(Op::Ult, p, q);
    set.add(ex, order);
    let c = ex.eq(product, n);
    (set, c)
}

fn timed(config: Config) -> (Answer, Duration) {
    let mut ex = Exprs::new();
    let (set, c) = factoring(&mut ex);
    let bytes = [2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0];
    let mut solver = Solver::new(config);
    let start = Instant::now();
    let answer = solver.check(&mut ex, &set, c, Assignment { id: 0, bytes: &bytes });
    (answer, start.elapsed())
}

#[test]
fn a_hard_query_ends_in_time_without_an_smt_program() {
    let limit = Some(Duration::from_secs(1));
    let (answer, took) = timed(Config { timeout: limit, smt: None, ..Config::default() });
    assert!(matches!(answer, Answer::Unknown(Unknown::Timeout)), "{answer:?}");
    assert!(took < Duration::from_millis(1500), "{took:?}");
}

#[test]
fn a_hard_query_ends_in_time_with_the_smt_program() {
    let limit = Some(Duration::from_secs(1));
    let (answer, took) = timed(Config { timeout: limit, ..Config::default() });
    assert!(matches!(answer, Answer::Unknown(Unknown::Timeout)), "{answer:?}");
    assert!(took < Duration::from_millis(1500), "{took:?}");
}

#[test]
fn a_huge_circuit_ends_in_time() {
    // A chain of wide divisions: building the circuit alone takes longer than the limit.
    let mut ex = Exprs::new();
    let mut e = word(&mut ex, 0, 1024);
    let d = word(&mut ex, 128, 1024);
    for _ in 0..20 {
        let q = ex.bin(Op::UDiv, e, d);
        e = ex.bin(Op::Add, q, d);
    }
    let k = ex.constant(1024, 77);
    let c = ex.eq(e, k);
    let limit = Some(Duration::from_secs(1));
    let mut solver = Solver::new(Config { timeout: limit, ..bare() });
    let start = Instant::now();
    let answer = solver.check(&mut ex, &ConstraintSet::default(), c, NO_HINT);
    assert!(!answer.is_sat() && !answer.is_unsat());
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
}

/// A condition only the SMT-LIB program can decide.
fn float_condition(ex: &mut Exprs) -> Expr {
    let (a, b) = (word(ex, 0, 16), word(ex, 2, 16));
    let r = ex.fp(FpOp::Rem, 16, &[a, b]);
    let two = ex.constant(16, 0x4000);
    ex.fp(FpOp::Eq, 1, &[r, two])
}

fn ask_float(solver: &mut Solver) -> Answer {
    let mut ex = Exprs::new();
    let c = float_condition(&mut ex);
    solver.check(&mut ex, &ConstraintSet::default(), c, NO_HINT)
}

fn with_program(command: &[&str]) -> Solver {
    let smt = Some(command.iter().map(|s| s.to_string()).collect());
    Solver::new(Config { smt, timeout: Some(Duration::from_secs(1)), ..Config::default() })
}

fn script(dir: &tempfile::TempDir, body: &str) -> String {
    let path = dir.path().join("program");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_string()
}

fn assert_back_end(answer: &Answer, expected: &str) {
    match answer {
        Answer::Unknown(Unknown::BackEnd(text)) => {
            assert!(text.contains(expected) && text.contains("apt-get install z3"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_program_configured() {
    let mut solver = Solver::new(Config { smt: None, ..Config::default() });
    assert_back_end(&ask_float(&mut solver), "needs an SMT-LIB program");
}

#[test]
fn a_missing_program() {
    let mut solver = with_program(&["/nonexistent/z3", "-in"]);
    for _ in 0..5 {
        assert_back_end(&ask_float(&mut solver), "could not be started");
    }
}

#[test]
fn a_program_that_ends_at_once() {
    assert_back_end(&ask_float(&mut with_program(&["true"])), "could not be started");
}

#[test]
fn a_program_that_talks_nonsense() {
    let start = Instant::now();
    assert_back_end(&ask_float(&mut with_program(&["yes"])), "could not be started");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_program_that_answers_every_query_with_nonsense() {
    let dir = tempfile::tempdir().unwrap();
    let program = script(
        &dir,
        r#"while read line; do case "$line" in *echo*) echo "$line" | sed 's/.*"\(.*\)".*/\1/';; *check-sat*) echo maybe;; esac; done"#,
    );
    assert_back_end(&ask_float(&mut with_program(&[&program])), "maybe");
}

#[test]
fn a_program_that_dies_on_queries() {
    let dir = tempfile::tempdir().unwrap();
    let program = script(
        &dir,
        r#"while read line; do case "$line" in *echo*) echo "$line" | sed 's/.*"\(.*\)".*/\1/';; *check-sat*) exit 3;; esac; done"#,
    );
    assert_back_end(&ask_float(&mut with_program(&[&program])), "ended unexpectedly");
}

#[test]
fn a_program_that_falls_silent() {
    let dir = tempfile::tempdir().unwrap();
    let program = script(
        &dir,
        r#"while read line; do case "$line" in *check-sat*) exec sleep 10;; *echo*) echo "$line" | sed 's/.*"\(.*\)".*/\1/';; esac; done"#,
    );
    let mut solver = with_program(&[&program]);
    let start = Instant::now();
    let answer = ask_float(&mut solver);
    assert!(matches!(answer, Answer::Unknown(Unknown::Timeout)), "{answer:?}");
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
}

#[test]
fn z3_works_and_survives_being_killed() {
    if !common::z3_present() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let program = script(&dir, &format!("echo $$ > {}\nexec z3 -in", pid.display()));
    let smt = Some(vec![program]);
    let mut solver = Solver::new(Config { smt, cache: false, model_reuse: false, ..Config::default() });
    for _ in 0..2 {
        assert!(ask_float(&mut solver).is_sat());
        let id: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
        std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(ask_float(&mut solver).is_sat());
}
