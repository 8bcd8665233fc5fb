//! Every program below `tests/programs` through the real binary at each of its optimisation levels: the findings written
//! in its comments, no more and no fewer; then the same program natively on every generated test: same exit status, same
//! output, every bug shown by a sanitized build. `FORKWISE_ONLY=text` keeps the programs whose path contains the text,
//! `FORKWISE_LONG=1` repeats the sanitized runs at all levels. `tests/programs/README.md` describes the comments.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forkwise_testcase::{Outcome, TestCase};
use serde_json::Value;
use support::expect::{self, Expectations, Marker};
use support::native::{self, Checks};
use support::{forkwise, ktest_of, long, run, scratch, tests_in, workspace};

/// No program needs as long as this.
const RUN_LIMIT: Duration = Duration::from_secs(120);
/// A native run that takes as long as this hangs.
const NATIVE_LIMIT: Duration = Duration::from_secs(2);

/// The programs of one folder, sorted.
fn programs(folder: &str) -> Vec<PathBuf> {
    let only = std::env::var("FORKWISE_ONLY").unwrap_or_default();
    let folder = workspace().join("tests/programs").join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    found.sort();
    found
}

/// Runs the programs of a folder at all their levels and fails with everything that is wrong.
fn check_folder(folder: &str) {
    let mut wrong = String::new();
    let mut runs = 0;
    for program in programs(folder) {
        let name = program
            .strip_prefix(workspace().join("tests/programs"))
            .unwrap_or(&program)
            .display()
            .to_string();
        for level in expect::LEVELS {
            let expectations = match expect::read(&program, level) {
                Ok(expectations) => expectations,
                Err(problem) => panic!("{problem}"),
            };
            if !expectations.levels.contains(&level) {
                continue;
            }
            runs += 1;
            let problems = check(&program, level, &expectations);
            if !problems.is_empty() {
                let _ = writeln!(wrong, "{name} at -O{level} (flags: {:?})", expectations.flags);
                for problem in problems {
                    let _ = writeln!(wrong, "    {}", problem.replace('\n', "\n      "));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {runs} runs are wrong in {folder}:\n{wrong}",
        wrong.matches(" at -O").count()
    );
}

/// All that is wrong with one program at one level.
fn check(program: &Path, level: u32, expect: &Expectations) -> Vec<String> {
    let folder = scratch();
    let mut arguments =
        vec!["run".into(), "--json".into(), "-o".into(), "out".into(), "--time".into(), "60s".into()];
    arguments.extend(["--opt-level".to_owned(), level.to_string()]);
    arguments.extend(expect.flags.iter().cloned());
    arguments.push(program.display().to_string());
    let done = run(&mut forkwise(folder.path(), &arguments), RUN_LIMIT);
    let result = match done.json() {
        Ok(result) => result,
        Err(problem) => return vec![format!("exit {:?}, {problem}", done.code())],
    };
    let mut problems = Vec::new();
    let output = folder.path().join("out");
    let bugs = result["bugs"].as_array().cloned().unwrap_or_default();
    let tests = tests_in(&output);

    let blamed = bugs.iter().filter(|bug| bug["kind"] != "unsupported").count();
    let code = i32::from(!bugs.is_empty());
    if done.code() != Some(code) && !(blamed == 0 && done.code() == Some(0)) {
        problems.push(format!("exit code: expected {code}, actual {:?}; {}", done.code(), done.err()));
    }
    check_counts(&result, &tests, expect, &mut problems);
    check_bugs(&bugs, expect, &mut problems);
    check_tests(&tests, expect, &mut problems);
    if !expect.native_skip {
        check_native(program, level, &tests, folder.path(), &mut problems);
    }
    problems
}

fn check_counts(
    result: &Value,
    tests: &[(PathBuf, TestCase)],
    expect: &Expectations,
    problems: &mut Vec<String>,
) {
    if result["stop_reason"] != expect.stop.as_str() {
        problems.push(format!("stop: expected {}, actual {}", expect.stop, result["stop_reason"]));
    }
    let paths =
        result["paths"]["completed"].as_u64().unwrap_or(0) + result["paths"]["partial"].as_u64().unwrap_or(0);
    if let Some((expected, exact)) = expect.paths
        && (paths > expected || exact && paths != expected || paths == 0)
    {
        let word = if exact { "exactly" } else { "at most" };
        problems.push(format!("paths: expected {word} {expected}, actual {paths} ({})", result["paths"]));
    }
    if let Some(expected) = expect.tests
        && tests.len() as u64 != expected
    {
        problems.push(format!("tests: expected {expected}, actual {}", tests.len()));
    }
    if result["tests"].as_u64() != Some(tests.len() as u64) {
        problems.push(format!("tests: {} announced, {} written", result["tests"], tests.len()));
    }
    let coverage = &result["coverage"];
    let full = coverage["branches_covered"] == coverage["branches_total"]
        && coverage["lines_covered"] == coverage["lines_total"]
        && coverage["lines_total"].as_u64().unwrap_or(0) > 0;
    if expect.full_coverage && !full {
        problems.push(format!("coverage: expected full, actual {coverage}"));
    }
}

fn matches(marker: &Marker, bug: &Value) -> bool {
    let kind = bug["kind"].as_str().unwrap_or_default();
    bug["line"].as_u64() == Some(marker.line)
        && bug["function"] == marker.function.as_str()
        && marker.kinds.iter().any(|one| one == kind)
}

fn check_bugs(bugs: &[Value], expect: &Expectations, problems: &mut Vec<String>) {
    let describe =
        |bug: &Value| format!("{} {}:{}", bug["kind"], bug["function"], bug["line"]).replace('"', "");
    let actual: Vec<String> = bugs.iter().map(describe).collect();
    for marker in expect.bugs.iter().filter(|marker| !marker.loose) {
        if bugs.iter().filter(|bug| matches(marker, bug)).count() != 1 {
            let kinds = marker.kinds.join("|");
            problems.push(format!(
                "bug: expected {kinds} {}:{} once, actual {actual:?}",
                marker.function, marker.line
            ));
        }
    }
    let loose: Vec<&Marker> = expect.bugs.iter().filter(|marker| marker.loose).collect();
    if !loose.is_empty() && !bugs.iter().any(|bug| loose.iter().any(|marker| matches(marker, bug))) {
        problems.push(format!("bug: expected one of {loose:?}, actual {actual:?}"));
    }
    for bug in bugs {
        if !expect.bugs.iter().any(|marker| matches(marker, bug)) {
            problems.push(format!("bug: {} was not expected: {bug}", describe(bug)));
        }
        let confirmable = bug["kind"] != "unsupported" && !expect.native_skip;
        if confirmable && bug["confirmed"] != true {
            problems.push(format!("bug: {} is not confirmed natively: {}", describe(bug), bug["confirmed"]));
        }
        if bug["test"].as_str().is_none_or(str::is_empty) {
            problems.push(format!("bug: {} names no test", describe(bug)));
        }
    }
}

fn check_tests(tests: &[(PathBuf, TestCase)], expect: &Expectations, problems: &mut Vec<String>) {
    let mut codes = BTreeSet::new();
    let mut outputs = BTreeSet::new();
    for (path, test) in tests {
        if let Some(Outcome::Exit(code)) = test.outcome {
            codes.insert(code);
            outputs.insert(test.stdout.clone().unwrap_or_default());
        }
        if test.outcome.is_none() {
            problems.push(format!("{} predicts nothing", path.display()));
        }
    }
    if let Some((expected, all)) = &expect.exit_codes
        && (*all && codes != *expected || !codes.is_subset(expected) || codes.is_empty())
    {
        problems.push(format!("exit codes: expected {expected:?}, actual {codes:?}"));
    }
    if let Some((expected, all)) = &expect.outputs
        && (*all && outputs != *expected || !outputs.is_subset(expected) || outputs.is_empty())
    {
        let show = |set: &BTreeSet<Vec<u8>>| {
            set.iter().map(|o| String::from_utf8_lossy(o).into_owned()).collect::<Vec<_>>()
        };
        problems.push(format!("outputs: expected {:?}, actual {:?}", show(expected), show(&outputs)));
    }
}

/// The program without the engine does on every test what the test predicts.
fn check_native(
    program: &Path,
    level: u32,
    tests: &[(PathBuf, TestCase)],
    folder: &Path,
    problems: &mut Vec<String>,
) {
    let plain = match native::build(program, level, Checks::None, &folder.join("plain")) {
        Ok(plain) => plain,
        Err(problem) => return problems.push(problem),
    };
    let mut sanitized = None;
    for (path, test) in tests {
        let ktest = ktest_of(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match &test.outcome {
            Some(Outcome::Exit(code)) => {
                let done = native::replay(&plain, &ktest, NATIVE_LIMIT);
                // The kernel keeps eight bits of an exit status.
                if done.code() != Some(*code & 0xff) {
                    let (status, said) = (done.status, done.err());
                    problems.push(format!("{name}: predicts exit {code}, natively {status:?} {said}"));
                } else if test.stdout.as_ref().is_some_and(|stdout| *stdout != done.stdout) {
                    let predicted =
                        String::from_utf8_lossy(test.stdout.as_deref().unwrap_or_default()).into_owned();
                    problems
                        .push(format!("{name}: predicts output {predicted:?}, natively {:?}", done.out()));
                }
            }
            Some(Outcome::Signal(signal)) => {
                let done = native::replay(&plain, &ktest, NATIVE_LIMIT);
                if done.status.and_then(|status| status.signal()) != Some(*signal) {
                    problems.push(format!("{name}: predicts signal {signal}, natively {:?}", done.status));
                }
            }
            Some(Outcome::Bug { kind, .. }) if kind.id() != "unsupported" && (level == 0 || long()) => {
                let built = sanitized
                    .get_or_insert_with(|| {
                        native::build(program, level, Checks::All, &folder.join("sanitized"))
                    })
                    .clone();
                match built {
                    Ok(sanitized) => {
                        let done = native::replay(&sanitized, &ktest, NATIVE_LIMIT);
                        if !native::shows_a_bug(&done) {
                            let (status, said) = (done.status, done.err());
                            problems
                                .push(format!("{name}: predicts {}, natively {status:?} {said}", kind.id()));
                        }
                    }
                    Err(problem) => problems.push(problem),
                }
            }
            _ => {}
        }
    }
}

macro_rules! folders {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check_folder(stringify!($name));
            }
        )*

        #[test]
        fn every_folder_is_run() {
            let listed: BTreeSet<&str> = [$(stringify!($name)),*].into();
            let folder = workspace().join("tests/programs");
            for entry in std::fs::read_dir(folder).expect("the programs are there").flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                assert!(!entry.path().is_dir() || listed.contains(name.as_str()), "{name} is run by no test");
            }
        }

        #[test]
        fn every_expectation_can_be_read() {
            for program in [$(stringify!($name)),*].into_iter().flat_map(programs) {
                for level in expect::LEVELS {
                    if let Err(problem) = expect::read(&program, level) {
                        panic!("{problem}");
                    }
                }
            }
        }
    };
}

folders! { basics memory ir libc klee ubsan limits unsupported realistic harness }
