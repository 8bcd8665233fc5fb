//! Concolic testing through the real binary: its tests are replayed natively as predicted, running paths again gives what
//! snapshots give, complete testing finds what complete exploration finds, and what makes no sense is refused.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use support::{Finished, files_below, forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(60);

fn concolic(folder: &Path, options: &[&str], program: &str, arguments: &[&str]) -> Finished {
    let mut all = vec!["run", "--json", "-o", "out", "--mode", "concolic", "--time", "40s"];
    all.extend(options);
    let program = workspace().join(program).display().to_string();
    all.push(&program);
    all.extend(arguments);
    run(&mut forkwise(folder, all), LIMIT)
}

fn summary(done: &Finished) -> Value {
    assert!(matches!(done.code(), Some(0 | 1)), "{:?}\n{}", done.status, done.err());
    done.json().unwrap_or_else(|problem| panic!("{problem}"))
}

/// Everything a run wrote that others rely on.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for part in ["tests", "bugs"] {
        let below = folder.join("out").join(part);
        for path in files_below(&below) {
            out.insert(Path::new(part).join(&path), fs::read(below.join(&path)).expect("it was listed"));
        }
    }
    out
}

#[test]
fn tests_replay_as_predicted() {
    for (search, program) in [
        ("gen", "tests/programs/realistic/expression_evaluator.c"),
        ("cfds", "tests/programs/realistic/tokenizer.c"),
        ("pure-random", "tests/programs/realistic/tokenizer.c"),
    ] {
        let folder = scratch();
        let done = concolic(folder.path(), &["--search", search, "--executions", "60"], program, &[]);
        let result = summary(&done);
        assert_eq!(result["mode"], "concolic", "{result}");
        assert_eq!(result["search"], search, "{result}");
        assert_eq!(result["executions"], 60, "{result}");
        assert_eq!(result["stop_reason"], "executions", "{result}");
        assert_eq!(result["replay"]["diverged"], Value::Array(Vec::new()), "{result}");
        assert!(result["replay"]["same"].as_u64().is_some_and(|n| n > 0), "{result}");
    }
}

#[test]
fn pure_random_testing_does_nothing_symbolic() {
    let folder = scratch();
    let options = ["--search", "pure-random", "--executions", "200", "--no-replay"];
    let done = concolic(folder.path(), &options, "tests/programs/realistic/expression_evaluator.c", &[]);
    let result = summary(&done);
    assert_eq!(result["executions"], 200);
    assert_eq!(result["solver"]["queries"], 0);
    assert_eq!(result["forks"], 0);
}

/// Runs with snapshots and without must write the same.
fn same_without_snapshots(program: &str, arguments: &[&str], searches: &[&str]) {
    for search in searches {
        let one = |snapshots: bool| {
            let folder = scratch();
            let mut options = vec!["--no-replay", "--search", search, "--executions", "80", "--seed", "5"];
            if !snapshots {
                options.push("--no-snapshots");
            }
            let result = summary(&concolic(folder.path(), &options, program, arguments));
            (contents(folder.path()), result)
        };
        let ((kept, a), (again, b)) = (one(true), one(false));
        assert!(!kept.is_empty(), "{program}: nothing was written");
        assert_eq!(
            kept.keys().collect::<Vec<_>>(),
            again.keys().collect::<Vec<_>>(),
            "{program} with {search}"
        );
        for (path, bytes) in &kept {
            let (x, y) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&again[path]));
            assert_eq!(x, y, "{program} with {search}: {}", path.display());
        }
        for field in ["coverage", "executions", "bugs", "paths", "stop_reason", "notes"] {
            assert_eq!(a[field], b[field], "{program} with {search}: {field}");
        }
        assert_eq!(a["solver"]["queries"], b["solver"]["queries"], "{program} with {search}");
    }
}

#[test]
fn paths_are_the_same_without_snapshots() {
    let all = ["dfs", "cfds", "cgs", "gen", "random-branch"];
    same_without_snapshots("tests/programs/realistic/expression_evaluator.c", &[], &all);
    for program in [
        "memory/symbolic_pointer.c",
        "memory/symbolic_index_write.c",
        "memory/symbolic_malloc_size.c",
        "memory/oob_write_heap.c",
        "ir/recursion_through_pointer.c",
        "libc/printf_symbolic.c",
    ] {
        same_without_snapshots(&format!("tests/programs/{program}"), &[], &["gen", "random-branch"]);
    }
}

#[test]
fn system_calls_on_symbolic_names_are_the_same_without_snapshots() {
    let names = ["--sym-args", "0", "1", "8", "--sym-files", "2", "3"];
    same_without_snapshots("tests/inputs/file_name.c", &names, &["gen", "random-branch"]);
    let names = ["--sym-arg", "1", "--sym-files", "2", "1"];
    same_without_snapshots("tests/inputs/rename.c", &names, &["gen", "dfs"]);
    same_without_snapshots(
        "tests/inputs/everything.c",
        &["--sym-args", "0", "2", "2", "--sym-stdin", "4"],
        &["gen", "random-branch"],
    );
}

#[test]
fn complete_testing_finds_what_complete_exploration_finds() {
    for program in [
        "basics/switch_sparse.c",
        "basics/collatz.c",
        "basics/short_circuit.c",
        "memory/symbolic_pointer.c",
        "memory/oob_write_heap.c",
        "realistic/tokenizer.c",
        "realistic/expression_evaluator.c",
        "libc/strtol_symbolic.c",
    ] {
        let source = workspace().join("tests/programs").join(program);
        let folder = scratch();
        let mut command =
            forkwise(folder.path(), ["run", "--json", "--no-replay", "-o", "out", "--search", "dfs"]);
        command.arg(&source);
        let wanted = summary(&run(&mut command, LIMIT));
        let bugs = |result: &Value| {
            let all = result["bugs"].as_array().into_iter().flatten();
            let mut all: Vec<String> =
                all.map(|b| format!("{} {} {}", b["kind"], b["function"], b["line"])).collect();
            all.sort();
            all
        };
        for search in ["dfs", "gen"] {
            let folder = scratch();
            let program = format!("tests/programs/{program}");
            let done = concolic(folder.path(), &["--no-replay", "--search", search], &program, &[]);
            let found = summary(&done);
            assert_eq!(found["stop_reason"], "complete", "{program} with {search}");
            assert_eq!(found["coverage"], wanted["coverage"], "{program} with {search}");
            assert_eq!(found["paths"], wanted["paths"], "{program} with {search}");
            assert_eq!(bugs(&found), bugs(&wanted), "{program} with {search}");
        }
    }
}

#[test]
fn it_begins_with_a_given_test() {
    let folder = scratch();
    let program = "tests/programs/realistic/tokenizer.c";
    let done = concolic(folder.path(), &["--no-replay", "--executions", "9"], program, &[]);
    assert!(summary(&done)["tests"].as_u64().is_some_and(|n| n >= 9));
    let tests = support::tests_in(&folder.path().join("out"));
    let (path, last) = tests.last().expect("a test");
    let again = scratch();
    let path = path.display().to_string();
    let options = ["--no-replay", "--executions", "1", "--input", &path];
    assert_eq!(summary(&concolic(again.path(), &options, program, &[]))["executions"], 1);
    let tests = support::tests_in(&again.path().join("out"));
    assert_eq!(tests[0].1.objects, last.objects, "the first path is that of the given test");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = scratch();
    let program = workspace().join("tests/programs/basics/sort3.c").display().to_string();
    for (options, says) in [
        (vec!["--mode", "concolic", "--search", "bfs"], "there is no heuristic 'bfs' for concolic testing"),
        (vec!["--mode", "concolic", "--search", "bfs"], "pure-random, random-branch, dfs, cfds, cgs, gen"),
        (vec!["--mode", "concolic", "--search", "dfs", "--search", "gen"], "one --search"),
        (vec!["--executions", "10"], "--executions is for concolic testing; add --mode concolic"),
        (vec!["--no-snapshots"], "--no-snapshots is for concolic testing"),
        (vec!["--input", "x"], "--input is for concolic testing"),
        (vec!["--mode", "concolic", "--batch-instructions", "5"], "--batch-instructions has no meaning"),
        (vec!["--mode", "conclic"], "concolic"),
        (vec!["--mode", "concolic", "--executions", "many"], "many"),
    ] {
        let mut all = vec!["run"];
        all.extend(&options);
        all.push(&program);
        let done = run(&mut forkwise(folder.path(), all), LIMIT);
        assert_eq!(done.code(), Some(2), "{options:?}: {}", done.err());
        assert!(done.err().contains(says), "{options:?}: {}", done.err());
    }
}
