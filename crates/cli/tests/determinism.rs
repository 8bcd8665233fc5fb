//! The same seed and the same instruction budget give the same output, byte for byte: `tests/` and `bugs/` are compared
//! whole, the summary without what measures time and memory. Another seed may give another order, never another truth.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use support::{files_below, forkwise, run, scratch, workspace};

const SEARCHERS: [&str; 6] =
    ["dfs", "bfs", "random-state", "random-path", "nurs:covnew", "random-path,nurs:covnew"];

/// One run: its summary and the contents of the folders under contract.
fn explore(folder: &Path, program: &Path, arguments: &[&str]) -> (Value, BTreeMap<PathBuf, Vec<u8>>) {
    let mut all = vec!["run", "--json", "--no-replay", "-o", "out"];
    all.extend(arguments);
    let mut command = forkwise(folder, all);
    command.arg(program);
    let done = run(&mut command, Duration::from_secs(120));
    assert!(matches!(done.code(), Some(0 | 1)), "{command:?}: {:?}\n{}", done.status, done.err());
    let result = done.json().unwrap_or_else(|problem| panic!("{problem}"));
    let mut contents = BTreeMap::new();
    for part in ["tests", "bugs"] {
        let below = folder.join("out").join(part);
        for path in files_below(&below) {
            contents.insert(Path::new(part).join(&path), fs::read(below.join(&path)).expect("it was listed"));
        }
    }
    (result, contents)
}

fn searcher_arguments(search: &str) -> Vec<String> {
    search.split(',').flat_map(|name| ["--search".to_owned(), name.to_owned()]).collect()
}

fn same_twice(program: &str, search: &str, extra: &[&str]) {
    let program = workspace().join("tests/programs").join(program);
    let mut arguments = searcher_arguments(search);
    arguments.extend(extra.iter().map(|&word| word.to_owned()));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // The same relative paths in two folders: nothing may depend on where it runs.
    let (first, second) = (scratch(), scratch());
    let (mut a, files_a) = explore(first.path(), &program, &arguments);
    let (mut b, files_b) = explore(second.path(), &program, &arguments);
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&files_a), names(&files_b), "{} under {search}: other files", program.display());
    assert!(!files_a.is_empty(), "nothing was written");
    for (path, bytes) in &files_a {
        let (one, two) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&files_b[path]));
        assert_eq!(one, two, "{} under {search}: {} differs", program.display(), path.display());
    }
    for result in [&mut a, &mut b] {
        for field in ["seconds", "telling_seconds", "memory_peak_mb", "output"] {
            result[field] = Value::Null;
        }
        result["solver"]["seconds"] = Value::Null;
    }
    assert_eq!(a, b, "{} under {search}: other summary", program.display());
}

fn budget(search: &str) {
    let extra = ["--seed", "42", "--max-instructions", "30000"];
    same_twice("limits/max_instructions.c", search, &extra);
    same_twice("realistic/json_parser.c", search, &extra);
    same_twice("realistic/lru_cache.c", search, &extra);
}

#[test]
fn depth_first() {
    budget(SEARCHERS[0]);
}

#[test]
fn breadth_first() {
    budget(SEARCHERS[1]);
}

#[test]
fn random_state() {
    budget(SEARCHERS[2]);
}

#[test]
fn random_path() {
    budget(SEARCHERS[3]);
}

#[test]
fn coverage_guided() {
    budget(SEARCHERS[4]);
}

#[test]
fn interleaved() {
    budget(SEARCHERS[5]);
}

#[test]
fn weighted() {
    // Those that depend on what was counted; crates/explore tests all of them on a smaller program.
    for search in ["nurs:qc", "nurs:cpicnt"] {
        let extra = ["--seed", "42", "--max-instructions", "30000"];
        same_twice("realistic/json_parser.c", search, &extra);
    }
}

#[test]
fn libraries_floats_and_pointers() {
    for program in
        ["libc/strtol_symbolic.c", "ir/float_solve.c", "memory/symbolic_pointer.c", "libc/printf_symbolic.c"]
    {
        same_twice(program, "random-path", &["--seed", "1"]);
    }
}

#[test]
fn all_searchers_find_the_same_bugs_when_they_finish() {
    let program = workspace().join("tests/programs/realistic/tokenizer.c");
    let mut expected: Option<(Value, Vec<String>)> = None;
    for search in SEARCHERS {
        for seed in ["1", "2"] {
            let folder = scratch();
            let mut arguments = searcher_arguments(search);
            arguments.extend(["--seed".to_owned(), seed.to_owned()]);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let (result, _) = explore(folder.path(), &program, &arguments);
            assert_eq!(result["stop_reason"], "complete", "{search}: {result}");
            let mut bugs: Vec<String> = result["bugs"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|bug| format!("{} {} {}", bug["kind"], bug["function"], bug["line"]))
                .collect();
            bugs.sort();
            let found = (result["paths"].clone(), bugs);
            match &expected {
                None => expected = Some(found),
                Some(first) => assert_eq!(*first, found, "{search} with seed {seed}"),
            }
        }
    }
}
