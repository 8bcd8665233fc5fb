//! Predicted bugs against real ones: `buggy.c` built with sanitizers and without, each of its bugs confirmed as what
//! it is, at its function, and as nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use forkwise_replay::{Expected, Limits, Program, Runner, RunnerOptions, Verdict, confirm};
use forkwise_testcase::{BugKind, Place, TestCase};

fn build(dir: &Path, name: &str, compiler: &str, flags: &[&str]) -> Program {
    let out = dir.join(name);
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/buggy.c");
    let built = Command::new(compiler)
        .args(["-w", "-g", "-O0"])
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Program::new(&out).unwrap()
}

const BUGS: &[(&str, BugKind)] = &[
    ("out_of_bounds_read", BugKind::OutOfBoundsRead),
    ("out_of_bounds_write", BugKind::OutOfBoundsWrite),
    ("out_of_bounds_global", BugKind::OutOfBoundsRead),
    ("out_of_bounds_library", BugKind::OutOfBoundsRead),
    ("use_after_free", BugKind::UseAfterFree),
    ("use_after_return", BugKind::UseAfterReturn),
    ("double_free", BugKind::DoubleFree),
    ("invalid_free", BugKind::InvalidFree),
    ("free_of_stack", BugKind::FreeOfStack),
    ("free_of_global", BugKind::FreeOfGlobal),
    ("null_dereference", BugKind::NullDereference),
    ("write_to_constant", BugKind::WriteToConstant),
    ("leak", BugKind::Leak),
    ("division_by_zero", BugKind::DivisionByZero),
    ("division_overflow", BugKind::DivisionOverflow),
    ("oversized_shift", BugKind::OversizedShift),
    ("integer_overflow", BugKind::IntegerOverflow),
    ("index_out_of_bounds", BugKind::IndexOutOfBounds),
    ("nonpositive_length", BugKind::NonPositiveArrayLength),
    ("float_cast_overflow", BugKind::FloatCastOverflow),
    ("misaligned_pointer", BugKind::MisalignedPointer),
    ("assertion_failure", BugKind::AssertionFailure),
    ("aborting", BugKind::Abort),
    ("trap", BugKind::Trap),
    ("unreachable", BugKind::UnreachableCall),
    ("stack_exhaustion", BugKind::StackExhaustion),
    ("bad_call", BugKind::BadCall),
    ("hang", BugKind::InstructionLimit),
];

fn test_of(bug: &str) -> TestCase {
    TestCase::new(vec!["buggy".into(), bug.into()], vec![])
}

fn expected(function: &str, kind: BugKind) -> Expected {
    let function = if function == "stack_exhaustion" { "recursion" } else { function };
    Expected { kind, stack: vec![Place { file: "tests/buggy.c".into(), line: 0, function: function.into() }] }
}

fn limits() -> Limits {
    Limits { wall: Duration::from_secs(4), ..Limits::default() }
}

#[test]
fn sanitizers_confirm_every_bug_at_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let flags = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-omit-frame-pointer"];
    let program = build(dir.path(), "buggy", "clang-19", &flags).sanitized();
    let runner = Runner::new(&RunnerOptions::default()).unwrap();
    let mut problems = Vec::new();
    for (function, kind) in BUGS {
        let (verdict, report) =
            confirm(&runner, &program, &test_of(function), &expected(function, *kind), &limits()).unwrap();
        if !verdict.is_confirmed() {
            problems.push(format!("{function}: {verdict}\n{}", report.stderr.text()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn other_bugs_and_sound_runs_confirm_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let program = build(dir.path(), "buggy", "clang-19", &["-fsanitize=address,undefined"]).sanitized();
    let runner = Runner::new(&RunnerOptions::default()).unwrap();
    let judge = |bug: &str, function: &str, kind| {
        confirm(&runner, &program, &test_of(bug), &expected(function, kind), &limits()).unwrap().0
    };
    for (_, kind) in BUGS {
        let verdict = judge("fine", "fine", *kind);
        assert_eq!(verdict, Verdict::NotConfirmed { observed: "exit status 0".into() }, "{kind}");
    }
    let verdict = judge("use_after_free", "elsewhere", BugKind::UseAfterFree);
    assert!(verdict.to_string().contains("heap-use-after-free at"), "{verdict}");
    assert!(verdict.to_string().contains("expected at tests/buggy.c:0 in elsewhere"), "{verdict}");
    assert!(!verdict.is_confirmed());
    for (bug, kind) in [
        ("use_after_free", BugKind::DoubleFree),
        ("integer_overflow", BugKind::DivisionByZero),
        ("assertion_failure", BugKind::NullDereference),
        ("null_dereference", BugKind::Abort),
        ("leak", BugKind::UseAfterFree),
    ] {
        assert!(!judge(bug, bug, kind).is_confirmed(), "{bug} as {kind}");
    }
    assert_eq!(judge("fine", "fine", BugKind::SolverFailure), Verdict::NotConfirmable);
}

#[test]
fn plain_builds_of_two_compilers_confirm_what_signals_show() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::new(&RunnerOptions::default()).unwrap();
    for compiler in ["clang-19", "gcc"] {
        let program = build(dir.path(), compiler, compiler, &[]);
        for (function, kind) in [
            ("double_free", BugKind::DoubleFree),
            ("invalid_free", BugKind::InvalidFree),
            ("null_dereference", BugKind::NullDereference),
            ("write_to_constant", BugKind::WriteToConstant),
            ("division_by_zero", BugKind::DivisionByZero),
            ("assertion_failure", BugKind::AssertionFailure),
            ("aborting", BugKind::Abort),
            ("trap", BugKind::Trap),
            ("stack_exhaustion", BugKind::StackExhaustion),
            ("bad_call", BugKind::BadCall),
            ("hang", BugKind::InstructionLimit),
        ] {
            let limits = Limits { wall: Duration::from_secs(1), ..Limits::default() };
            let (verdict, _) =
                confirm(&runner, &program, &test_of(function), &expected(function, kind), &limits).unwrap();
            assert!(verdict.is_confirmed(), "{compiler} {function}: {verdict}");
        }
    }
}
