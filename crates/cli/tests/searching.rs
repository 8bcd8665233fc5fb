//! Searching as users meet it: weight files (`--search param:FILE`, `learned:FILE`), `forkwise features`, `forkwise compare`, and
//! the file `coverage.json` that comparing rests on. Budgets are in instructions or executions, so that everything repeats.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Finished, check_results, finish, forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(120);

fn program() -> PathBuf {
    workspace().join("tests/programs/realistic/json_parser.c")
}

/// Runs forkwise on the program with these options.
fn on_program(folder: &Path, options: &[&str]) -> Finished {
    let mut command = forkwise(folder, options);
    command.arg(program());
    run(&mut command, LIMIT)
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("the folder can be written to");
}

/// A list of so many weights.
fn list(n: usize) -> String {
    let numbers: Vec<String> = (0..n).map(|i| format!("{}.5", i as i64 * 7 % 11 - 5)).collect();
    format!("weights = [{}]\n", numbers.join(", "))
}

/// Names of features, from the table that users see.
fn names(mode: &str) -> Vec<String> {
    let folder = scratch();
    let done = run(&mut forkwise(folder.path(), ["features", "--json", "--mode", mode]), LIMIT);
    let table = done.json().expect("an object");
    let features = table[mode]["features"].as_array().expect("a list").clone();
    features.iter().map(|f| f["name"].as_str().expect("a name").to_string()).collect()
}

/// The same of the frontier search.
fn frontier() -> Vec<String> {
    let folder = scratch();
    let done = run(&mut forkwise(folder.path(), ["features", "--json", "--mode", "explore"]), LIMIT);
    let table = done.json().expect("an object");
    let features = table["explore"]["frontier"].as_array().expect("a list").clone();
    features.iter().map(|f| f["name"].as_str().expect("a name").to_string()).collect()
}

fn by_name(names: &[String]) -> String {
    let lines: Vec<String> = names.iter().enumerate().map(|(i, n)| format!("{n} = {i}\n")).collect();
    format!("[weights]\n{}", lines.concat())
}

#[test]
fn weights_steer_both_modes_and_repeat() {
    let folder = scratch();
    let at = folder.path();
    write(at, "e.toml", &format!("format = 1\n{}", list(26)));
    write(at, "c.toml", &format!("format = 1\n{}", list(40)));
    let cases: [&[&str]; 3] = [
        &["--search", "param:e.toml", "--max-instructions", "20000"],
        &["--search", "dfs,param:e.toml", "--slice-instructions", "200", "--max-instructions", "20000"],
        &["--mode", "concolic", "--search", "param:c.toml", "--executions", "60"],
    ];
    for (i, case) in cases.iter().enumerate() {
        let result = |name: &str| {
            let fixed = ["run", "--json", "--no-replay", "--seed", "7", "-o", name];
            let done = on_program(at, &[&fixed, *case].concat());
            assert!(matches!(done.code(), Some(0 | 1)), "{case:?}: {}", done.err());
            let mut object = done.json().expect("an object");
            check_results(&at.join(name));
            for field in ["seconds", "memory_peak_mb", "output", "solver"] {
                object[field] = Value::Null;
            }
            (object, fs::read_to_string(at.join(name).join("coverage.json")).expect("it is written"))
        };
        let first = result(&format!("a{i}"));
        assert_eq!(first, result(&format!("b{i}")), "{case:?}");
        let name = if i == 1 { "dfs,param:e.toml" } else { case[case.len() - 3] };
        assert_eq!(first.0["search"], name);
    }
}

#[test]
fn bad_weight_files_are_errors_that_name_the_entry() {
    let folder = scratch();
    let at = folder.path();
    let explore = names("explore");
    let whole = format!("format = 1\nmode = \"explore\"\n{}", by_name(&explore));
    write(at, "unknown.toml", &whole.replace("distance-low", "distanse-low"));
    write(at, "missing.toml", &whole.replace("distance-low = 6\n", ""));
    write(at, "nan.toml", &whole.replace("distance-low = 6", "distance-low = nan"));
    write(at, "short.toml", &format!("format = 1\n{}", list(25)));
    write(at, "mode.toml", &format!("format = 1\nmode = \"concolic\"\n{}", list(40)));
    write(at, "nomode.toml", &format!("format = 1\n{}", list(26)));
    write(at, "html.toml", "<!doctype html>\n");
    let cases: [(&str, &[&str]); 9] = [
        ("param:unknown.toml", &["unknown.toml:10:", "'distanse-low'", "did you mean 'distance-low'"]),
        ("param:missing.toml", &["missing.toml:3:", "1 of the 26", "distance-low", "add them"]),
        ("param:nan.toml", &["nan.toml:10:", "'distance-low' is nan", "finite"]),
        ("dfs,param:short.toml", &["short.toml:2:", "25 numbers", "26 features"]),
        ("param:mode.toml", &["mode.toml:2:", "--mode concolic", "not for --mode explore"]),
        ("learned:nomode.toml", &["nomode.toml:", "add mode = \"explore\"", "param:nomode.toml"]),
        ("param:html.toml", &["html.toml:1:", "not TOML"]),
        ("param:none.toml", &["none.toml: cannot be read"]),
        ("learned:", &["names no file", "learned:FILE"]),
    ];
    for (search, parts) in cases {
        let done = on_program(at, &["run", "-o", "out", "--search", search]);
        assert_eq!(done.code(), Some(2), "{search}: {}", done.err());
        for part in parts {
            assert!(done.err().contains(part), "{search}: {part:?} is not in {}", done.err());
        }
        assert!(!at.join("out").exists(), "{search}: a result folder was made");
    }
    let done = on_program(at, &["run", "--mode", "concolic", "--search", "param:nomode.toml"]);
    assert!(done.code() == Some(2) && done.err().contains("40 features"), "{}", done.err());
}

#[test]
fn a_frontier_search_has_weights_of_its_own() {
    let folder = scratch();
    let at = folder.path();
    let lines = |of: &str| frontier().iter().map(|n| format!("{n} = {of}\n")).collect::<String>();
    let head = "format = 1\nmode = \"explore\"\nfamily = \"frontier\"\n[weights]\n";
    write(at, "zero.toml", &format!("{head}{}", lines("0")));
    write(at, "some.toml", &format!("{head}{}", lines("0.75")));
    let result = |search: &str| {
        let name = search.replace(':', "-");
        let fixed = ["run", "--json", "--no-replay", "--seed", "7", "--max-instructions", "60000"];
        let done = on_program(at, &[&fixed[..], &["-o", &name, "--search", search]].concat());
        assert!(matches!(done.code(), Some(0 | 1)), "{search}: {}", done.err());
        let mut object = done.json().expect("an object");
        assert_eq!(object["search"], search);
        for field in ["seconds", "memory_peak_mb", "output", "solver", "search"] {
            object[field] = Value::Null;
        }
        (object, fs::read_to_string(at.join(name).join("coverage.json")).expect("it is written"))
    };
    let plain = result("frontier");
    assert_eq!(result("learned:zero.toml"), plain, "without weights it is the search that people made");
    assert_ne!(result("param:some.toml"), plain);

    let zero = fs::read_to_string(at.join("zero.toml")).expect("it was written");
    write(at, "states.toml", &zero.replace("\"frontier\"", "\"states\""));
    write(at, "unnamed.toml", &zero.replace("family = \"frontier\"\n", ""));
    write(at, "nothing.toml", &zero.replace("\"frontier\"", "\"nothing\""));
    write(at, "missing.toml", &zero.replace("walks = 0\n", ""));
    write(at, "nan.toml", &zero.replace("walks = 0\n", "walks = nan\n"));
    let cases: [(&str, &[&str]); 6] = [
        ("states.toml", &["states.toml:5:", "no feature 'new-edge' in mode explore"]),
        ("unnamed.toml", &["unnamed.toml:4:", "no feature 'new-edge' in mode explore"]),
        ("nothing.toml", &["nothing.toml:3:", "no family 'nothing'", "\"frontier\""]),
        ("missing.toml", &["missing.toml:4:", "features of family frontier", "walks"]),
        ("nan.toml", &["'walks' is nan", "finite"]),
        ("zero.toml --mode concolic", &["for --mode explore, not for --mode concolic"]),
    ];
    for (words, parts) in cases {
        let (file, mode) = words.split_once(' ').map_or((words, ""), |(file, _)| (file, "concolic"));
        let search = format!("param:{file}");
        let mut options = vec!["run", "-o", "out", "--search", &search];
        if !mode.is_empty() {
            options.extend(["--mode", mode]);
        }
        let done = on_program(at, &options);
        assert_eq!(done.code(), Some(2), "{words}: {}", done.err());
        for part in parts {
            assert!(done.err().contains(part), "{words}: {part:?} is not in {}", done.err());
        }
    }
    let shown = run(&mut forkwise(at, ["heuristic", "show", "some.toml"]), LIMIT);
    assert!(shown.out().contains("weights of explore (frontier)"), "{}", shown.out());
}

#[test]
fn learned_weights_say_whose_they_are() {
    let folder = scratch();
    let at = folder.path();
    let concolic = by_name(&names("concolic"));
    let training = "[training]\ntrials = 3\n";
    for (name, expected) in [("grep", true), ("json_parser", false)] {
        write(
            at,
            "w.toml",
            &format!("format = 1\nprogram = \"{name}\"\nmode = \"concolic\"\n{concolic}{training}"),
        );
        let options = ["run", "--no-replay", "--mode", "concolic", "--executions", "5", "--search"];
        for (search, note) in [("learned:w.toml", expected), ("param:w.toml", false)] {
            let done = on_program(at, &[&options[..], &[search]].concat());
            assert!(matches!(done.code(), Some(0 | 1)), "{}", done.err());
            assert_eq!(done.err().contains("were learned for \"grep\""), note, "{}", done.err());
        }
        let done = on_program(
            at,
            &["compare", "--search", "concolic:learned:w.toml", "--trials", "1", "--executions", "5"],
        );
        assert_eq!(done.code(), Some(0), "{}", done.err());
        assert_eq!(done.err().contains("were learned for \"grep\""), expected, "{}", done.err());
    }
}

#[test]
fn the_tables_of_features() {
    assert_eq!((names("explore").len(), names("concolic").len()), (26, 40));
    let folder = scratch();
    let done = run(&mut forkwise(folder.path(), ["features"]), LIMIT);
    assert_eq!((done.code(), done.out().lines().count()), (Some(0), 26 + 40 + 3 + frontier().len() + 2));
    assert!(done.out().contains("\n 12  default "), "{}", done.out());
    let one = run(&mut forkwise(folder.path(), ["features", "--mode", "concolic"]), LIMIT);
    assert_eq!(one.out().lines().count(), 41);
    let done = run(&mut forkwise(folder.path(), ["features", "--every", "3"]), LIMIT);
    assert!(done.code() == Some(2) && done.err().contains("name one"), "{}", done.err());
}

/// The rows of a CSV text without quotes.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|l| l.split(',').collect()).collect()
}

#[test]
fn features_of_chosen_states_over_time() {
    let folder = scratch();
    let options = ["features", "--no-replay", "--no-tests", "--max-instructions", "20000", "--search", "dfs"];
    let done = on_program(folder.path(), &options);
    assert!(matches!(done.code(), Some(0 | 1)), "{}", done.err());
    assert!(done.err().contains("coverage: "), "the summary: {}", done.err());
    let text = done.out();
    let rows = rows(&text);
    assert_eq!(rows[0][..5], ["selection", "instructions", "states", "state", "value:instructions"]);
    assert_eq!(rows[0][17..], names("explore"));
    assert!(rows.len() > 100 && rows.iter().all(|r| r.len() == 4 + 13 + 26));
    let numbers: Vec<Vec<u64>> =
        rows[1..].iter().map(|r| r.iter().map(|c| c.parse().expect("a number")).collect()).collect();
    assert!(numbers.iter().enumerate().all(|(i, r)| r[0] == i as u64 + 1));
    assert!(numbers.windows(2).all(|w| w[0][1] <= w[1][1]), "instructions go up");
    assert!(numbers.iter().all(|r| r[17..].iter().all(|b| *b <= 1)));
    assert!(numbers.iter().filter(|r| r[2] < 10).all(|r| r[17..].iter().sum::<u64>() == 0));
    assert!(numbers.iter().any(|r| r[17..].iter().sum::<u64>() > 0));
    // A sample of the same run.
    let done = on_program(folder.path(), &[&options[..], &["--every", "10", "--csv", "s.csv"]].concat());
    assert!(done.out().contains("coverage: "), "{}", done.out());
    let sample = fs::read_to_string(folder.path().join("s.csv")).expect("written");
    let expected: Vec<&str> = text.lines().skip(1).step_by(10).collect();
    assert_eq!(sample.lines().skip(1).collect::<Vec<_>>(), expected);
    // Watching changes nothing.
    let watched = on_program(folder.path(), &[&options[..], &["--json", "--csv", "s.csv"]].concat());
    let alone = on_program(folder.path(), &[&["run", "--json"], &options[1..]].concat());
    let (watched, alone) = (watched.json().expect("an object"), alone.json().expect("an object"));
    for field in ["coverage", "paths", "instructions", "forks"] {
        assert_eq!(watched[field], alone[field], "{field}");
    }
}

#[test]
fn features_of_negated_branches_over_time() {
    let folder = scratch();
    let options = ["features", "--mode", "concolic", "--no-replay", "--executions", "40", "--search", "cgs"];
    let done = on_program(folder.path(), &[&options[..], &["--json", "--csv", "c.csv"]].concat());
    assert!(matches!(done.code(), Some(0 | 1)), "{}", done.err());
    assert_eq!(done.json().expect("an object")["executions"], 40);
    let text = fs::read_to_string(folder.path().join("c.csv")).expect("written");
    let rows = rows(&text);
    assert_eq!(rows[0][7..], names("concolic"));
    assert!(rows.len() > 39 && rows.iter().all(|r| r.len() == 7 + 40));
    assert!(rows[1..].iter().all(|r| r[6].contains("json_parser.c:") && !r[5].is_empty()));
    let done = on_program(folder.path(), &[&options[..], &["--json"]].concat());
    assert!(done.code() == Some(2) && done.err().contains("--csv FILE"), "{}", done.err());
    let done = on_program(
        folder.path(),
        &["features", "--mode", "concolic", "--executions", "4", "--search", "pure-random"],
    );
    assert!(done.code() == Some(2) && done.err().contains("another --search"), "{}", done.err());
}

#[test]
fn coverage_lists_as_many_arms_as_the_summary_counts() {
    let folder = scratch();
    let options = ["run", "--json", "--no-replay", "--max-instructions", "9000", "-o", "out"];
    let summary = on_program(folder.path(), &options).json().expect("an object");
    let text = fs::read_to_string(folder.path().join("out/coverage.json")).expect("written");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let branches = file["branches"].as_array().expect("a list");
    let listed: usize = branches.iter().map(|b| b[5].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(summary["coverage"]["branches_covered"], listed);
    assert_eq!(summary["coverage"]["branches_covered"], file["covered"]);
    assert_eq!(summary["coverage"]["branches_total"], file["total"]);
    assert!(file["files"][0].as_str().is_some_and(|f| f.ends_with("json_parser.c")));
}

#[test]
fn heuristics_are_compared() {
    let folder = scratch();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).expect("a folder");
    write(folder.path(), "e.toml", &format!("format = 1\n{}", list(26)));
    let options = [
        "compare",
        "--trials",
        "3",
        "--max-instructions",
        "4000",
        "--jobs",
        "2",
        "--csv",
        "t.csv",
        "--search",
        "dfs,random-path+nurs:covnew,concolic:cgs,param:e.toml",
    ];
    let compare = |extra: &[&str]| {
        let mut command = forkwise(folder.path(), [&options[..], extra].concat());
        let done = run(command.env("TMPDIR", &temporary).arg(program()), LIMIT);
        assert_eq!(done.code(), Some(0), "{}", done.err());
        done
    };
    let result = compare(&["--json"]).json().expect("an object");
    let heuristics = result["heuristics"].as_array().expect("a list");
    assert_eq!(heuristics.len(), 4);
    assert_eq!(
        (&heuristics[1]["search"], &heuristics[2]["mode"]),
        (&"random-path,nurs:covnew".into(), &"concolic".into())
    );
    let trials = result["trials"].as_array().expect("a list");
    assert_eq!((trials.len(), result["pairs"].as_array().map(Vec::len)), (12, Some(6)));
    for h in heuristics {
        let own: Vec<f64> = trials
            .iter()
            .filter(|t| t["heuristic"] == h["name"])
            .filter_map(|t| t["branches"].as_f64())
            .collect();
        let (mean, max) = (own.iter().sum::<f64>() / 3.0, own.iter().copied().fold(0.0, f64::max));
        let said = |name: &str| h["branches"][name].as_f64().expect("a number");
        assert!(mean > 5.0 && (said("mean") - mean).abs() < 1e-9 && said("max") == max, "{h}");
        assert!(said("union") >= max && h["crashed"] == 0);
    }
    // A trial is the run with the same options.
    let same = on_program(
        folder.path(),
        &["run", "--json", "--no-replay", "--max-instructions", "4000", "--search", "dfs", "--seed", "1"],
    );
    let same = same.json().expect("an object");
    assert_eq!(trials[0]["branches"], same["coverage"]["branches_covered"]);
    let table = fs::read_to_string(folder.path().join("t.csv")).expect("written");
    assert_eq!(table.lines().count(), 13);
    assert!(table.lines().nth(1).is_some_and(|l| l.starts_with("dfs,explore,1,")), "{table}");
    let text = compare(&["--list"]);
    assert!(text.out().contains("seeds 1 to 3") && text.out().contains("Wilcoxon"), "{}", text.out());
    assert!(text.err().contains("trial 12/12"), "{}", text.err());
    let only: usize =
        heuristics.iter().map(|h| h["branches"]["only_here"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(text.out().matches(", arm ").count(), only, "{}", text.out());
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0, "trials leave nothing behind");
}

#[test]
fn mistakes_in_a_comparison_are_usage_errors() {
    let folder = scratch();
    let cases: [(&[&str], &str); 9] = [
        (&["--search", "dfs,bfs"], "a budget: --time"),
        (&["--search", "dfs,nonsense", "--time", "1s"], "'nonsense'"),
        (&["--search", "dfs,concolic:gen", "--executions", "5"], "no budget for dfs"),
        (&["--search", "dfs,dfs", "--time", "1s"], "twice"),
        (&["--time", "1s"], "name what to compare"),
        (&["--search", "dfs", "--time", "1s", "-o", "x"], "--output has no meaning"),
        (&["--search", "dfs", "--time", "1s", "--trials", "0"], "--trials"),
        (
            &["--search", "dfs", "--time", "1s", "--csv", "no/such/folder.csv"],
            "cannot write no/such/folder.csv",
        ),
        (&["--search", "dfs", "--time", "1s", "--entry", "nowhere"], "nowhere"),
    ];
    for (options, part) in cases {
        let done = on_program(folder.path(), &[&["compare"], options].concat());
        assert!(done.code() == Some(2) && done.err().contains(part), "{options:?}: {}", done.err());
    }
    let done = run(&mut forkwise(folder.path(), ["compare", "--search", "dfs", "--time", "1s"]), LIMIT);
    assert!(done.code() == Some(2) && done.err().contains("name the program"), "{}", done.err());
}

/// Ids of the children of a process.
fn children(of: u32) -> Vec<u32> {
    let read = |path: String| fs::read_to_string(path).unwrap_or_default();
    let tasks = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    tasks
        .flat_map(|t| {
            let list = read(format!("/proc/{of}/task/{}/children", t.file_name().to_string_lossy()));
            list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

fn signal(name: &str, id: u32) {
    let done = Command::new("kill").args([name, &id.to_string()]).status().expect("kill is there");
    assert!(done.success(), "kill {name} {id}");
}

/// A program that never ends by itself.
const ENDLESS: &str = "#include <forkwise.h>\n\
    int main(void) { unsigned n; forkwise_symbolic(&n, sizeof n, \"n\");\n\
    if (n > 3) n = 1; for (;;) n = n * 3 + 1; }\n";

fn start_comparing(folder: &Path, seconds: &str) -> std::process::Child {
    write(folder, "endless.c", ENDLESS);
    let options =
        ["compare", "--search", "dfs", "--trials", "1", "--jobs", "1", "--time", seconds, "endless.c"];
    forkwise(folder, options)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// The child of a comparison, once it has covered something.
fn running_trial(parent: u32, folder: &Path) -> u32 {
    let begun = Instant::now();
    loop {
        let covered = support::files_ending(folder, "coverage.json").len() == 1;
        if let (true, [child, ..]) = (covered, &children(parent)[..]) {
            return *child;
        }
        assert!(begun.elapsed() < LIMIT, "no trial is running");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_trial_that_dies_counts_with_what_it_had() {
    let folder = scratch();
    let parent = start_comparing(folder.path(), "100s");
    // Once may be somebody's mistake, and it is run again; three times is a crash.
    for _ in 0..3 {
        let child = running_trial(parent.id(), folder.path());
        let covered = support::files_ending(folder.path(), "coverage.json");
        signal("-KILL", child);
        // What it left is read or removed before the next one counts.
        let begun = Instant::now();
        while covered.iter().any(|file| file.exists()) {
            assert!(begun.elapsed() < LIMIT, "the trial's folder stays");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let done = finish(parent, LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let row = done.out().lines().find(|l| l.starts_with("dfs ")).expect("a row").to_string();
    let mean: f64 = row.split_whitespace().nth(1).and_then(|m| m.parse().ok()).expect("a mean");
    assert!(mean >= 1.0, "{row}");
    assert!(done.out().contains("dfs, seed 1: ended by signal 9"), "{}", done.out());
}

#[test]
fn an_interrupted_comparison_ends_and_leaves_nothing() {
    let folder = scratch();
    let parent = start_comparing(folder.path(), "100s");
    let child = running_trial(parent.id(), folder.path());
    signal("-INT", parent.id());
    let done = finish(parent, LIMIT);
    assert!(done.took < Duration::from_secs(30));
    assert_eq!(done.code(), Some(2), "{}", done.err());
    assert!(done.err().contains("interrupted before a trial was finished"), "{}", done.err());
    assert!(!Path::new(&format!("/proc/{child}")).exists(), "the trial still runs");
    let left: Vec<PathBuf> = support::files_below(folder.path());
    assert_eq!(left, [PathBuf::from("endless.c")], "trials leave nothing behind");
}
