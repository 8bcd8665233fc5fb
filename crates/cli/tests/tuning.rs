//! Tuning as users meet it: `forkwise tune` with its policies and what it leaves, going on after `kill -9` and ending on Ctrl-C;
//! `run --config`; `forkwise symtuner` with this engine and with one that misbehaves; `forkwise params` and `venn`.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Finished, finish, forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(180);

/// A program whose branches need longer arguments, and that dies on one of them.
const PROGRAM: &str = "#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    int n = 0;
    if (argc < 2) return 1;
    if (argv[1][0] == '-') n++;
    if (strlen(argv[1]) > 3) n += 2;
    if (strlen(argv[1]) > 6) n += 4;
    if (argc > 2 && argv[2][0] == 'x') n += 8;
    if (!strcmp(argv[1], \"-k\")) abort();
    return n;
}
";

/// The program, built by `forkwise cc`.
fn program(folder: &Path) -> PathBuf {
    fs::write(folder.join("p.c"), PROGRAM).expect("written");
    let done = run(&mut forkwise(folder, ["cc", "-g", "-o", "p", "p.c"]), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    folder.join("p")
}

fn tune(folder: &Path, options: &[&str]) -> Finished {
    let mut words = vec!["tune", "--jobs", "2", "--min-run", "300ms"];
    words.extend(options);
    run(&mut forkwise(folder, words), LIMIT)
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_string).collect()
}

#[test]
fn a_campaign_leaves_tests_bugs_a_curve_and_settings() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let done = tune(at, &["--time", "6s", "--json", "--dir", "d", "--save", "s.toml", "./p"]);
    assert_eq!(done.code(), Some(1), "the bug is found: {}", done.err());
    let object = done.json().expect("one object");
    assert_eq!(object["bugs"][0]["function"], "main", "{object}");
    assert_eq!(object["coverage"]["native"], true);
    assert!(object["coverage"]["branches"].as_u64() >= Some(6), "{object}");
    let trials = object["trials"].as_u64().expect("a number") as usize;
    assert!(trials >= 2, "{object}");
    assert!(
        object["best"]["options"].is_object()
            && object["importance"].as_array().is_some_and(|i| i.len() > 20)
    );
    let curve = lines(&at.join("d/coverage.csv"));
    assert_eq!((curve[0].as_str(), curve.len()), ("seconds,branches,bugs,trials", trials + 1));
    let vectors = lines(&at.join("d/vectors.jsonl"));
    assert_eq!(vectors.len(), trials);
    for line in &vectors {
        let entry: Value = serde_json::from_str(line).expect("an object a line");
        assert!(entry["settings"].is_object() && entry["seconds"].is_number(), "{line}");
    }
    let corpus = fs::read_dir(at.join("d/corpus")).expect("tests").count();
    assert!(corpus > 2 && corpus as u64 == object["tests"].as_u64().unwrap_or(0));
    // The tests are tests, and the settings are settings.
    let replayed = run(&mut forkwise(at, ["replay", "--quiet", "./p", "d/corpus"]), LIMIT);
    assert!(replayed.out().contains("branches"), "{} {}", replayed.out(), replayed.err());
    let words = ["run", "--config", "s.toml", "--time", "5s", "--json", "--quiet", "--no-replay", "./p"];
    let ran = run(&mut forkwise(at, words), LIMIT);
    let summary = ran.json().expect("one object");
    assert!(summary["coverage"]["branches_covered"].as_u64() > Some(2), "{summary}");
    // Other settings do not fit this folder.
    let other = tune(at, &["--time", "6s", "--policy", "random", "--dir", "d", "./p"]);
    assert_eq!(other.code(), Some(2));
    assert!(other.err().contains("policy"), "{}", other.err());
}

#[test]
fn a_campaign_goes_on_after_it_was_killed() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let words = ["tune", "--jobs", "1", "--min-run", "300ms", "--policy", "symtuner", "--dir", "d"];
    let mut child = forkwise(at, words)
        .args(["--time", "100s", "./p"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    while lines(&at.join("d/vectors.jsonl")).len() < 3 {
        assert!(begun.elapsed() < LIMIT, "no run ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killed");
    child.wait().expect("waited for");
    let before = lines(&at.join("d/vectors.jsonl"));
    let spent: Value = serde_json::from_str(before.last().expect("a line")).expect("whole");
    let time = format!("{}s", spent["at"].as_f64().expect("seconds").ceil() as u64 + 3);
    let again = run(forkwise(at, words).args(["--time", &time, "--json", "./p"]), LIMIT);
    let object = again.json().expect("one object");
    assert!(again.err().contains("going on after"), "{}", again.err());
    let after = lines(&at.join("d/vectors.jsonl"));
    assert!(after.len() > 3 && object["trials"].as_u64() == Some(after.len() as u64), "{object}");
    let whole = before.iter().filter(|l| serde_json::from_str::<Value>(l).is_ok());
    assert!(whole.zip(&after).all(|(b, a)| b == a), "what was done is not done again");
    assert!(object["coverage"]["branches"].as_u64() >= Some(4), "{object}");
}

#[test]
fn an_interrupt_ends_a_campaign_with_its_results() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let child = forkwise(
        at,
        ["tune", "--jobs", "2", "--min-run", "300ms", "--time", "1h", "--dir", "d", "--json", "./p"],
    )
    .stdin(Stdio::null())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("it starts");
    let begun = Instant::now();
    while lines(&at.join("d/vectors.jsonl")).is_empty() {
        assert!(begun.elapsed() < LIMIT, "no run ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let done = finish(child, LIMIT);
    let object = done.json().expect("one object");
    assert_eq!(object["interrupted"], true);
    assert!(object["trials"].as_u64() >= Some(1));
    assert!(fs::read_dir(at.join("d/running")).expect("a folder").next().is_none(), "no run is left");
}

#[test]
fn baselines_use_the_same_budget_in_two_ways() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    for policy in ["default", "hand"] {
        let dir = format!("d-{policy}");
        let options =
            ["--time", "2s", "--policy", policy, "--budget-use", "both", "--json", "--dir", &dir, "./p"];
        let object = tune(at, &options).json().expect("one object");
        assert_eq!(object["both"].as_array().map(Vec::len), Some(2), "{object}");
        assert!(object["coverage"]["branches"].as_u64() > Some(2), "{object}");
        let once = lines(&at.join(&dir).join("once/vectors.jsonl"));
        let time: Value = serde_json::from_str(&once[0]).expect("an object");
        assert_eq!(
            (time["how"].as_str(), time["settings"].as_object().map(|s| s.len())),
            (Some("fixed"), Some(0))
        );
    }
    let random = tune(at, &["--time", "2s", "--policy", "random", "--json", "--dir", "r", "./p"]);
    assert!(random.json().expect("one object")["trials"].as_u64() >= Some(1));
    let wrong = tune(at, &["--policy", "random", "--budget-use", "once", "./p"]);
    assert_eq!(wrong.code(), Some(2));
    assert!(wrong.err().contains("--budget-use"), "{}", wrong.err());
}

#[test]
fn one_parameter_at_a_time_and_concolic_testing() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let space =
        r#"{"space": {"--sym-arg": [[1, 2, 8], 2], "--search": [["dfs", "cfds"], 1]}, "defaults": {}}"#;
    fs::write(at.join("space.json"), space).expect("written");
    let concolic =
        ["--mode", "concolic", "--time", "4s", "--space", "space.json", "--policy", "symtuner", "--json"];
    let mut words = concolic.to_vec();
    words.extend(["--importance", "--dir", "i", "./p"]);
    let object = tune(at, &words).json().expect("one object");
    assert_eq!(object["parameters"].as_array().map(Vec::len), Some(2), "{object}");
    assert_eq!(lines(&at.join("i/importance.csv")).len(), 3);
    let mut words = concolic.to_vec();
    words.extend(["--dir", "c", "./p"]);
    let object = tune(at, &words).json().expect("one object");
    assert_eq!(object["mode"], "concolic");
    assert!(object["coverage"]["branches"].as_u64() >= Some(4), "{object}");
    fs::write(at.join("bad.json"), r#"{"space": {"--no-such": [[1], 1]}}"#).expect("written");
    let bad = tune(at, &["--space", "bad.json", "./p"]);
    assert!(bad.code() == Some(2) && bad.err().contains("--no-such"), "{}", bad.err());
}

#[test]
fn sources_are_judged_by_the_engine() {
    let folder = scratch();
    let at = folder.path();
    let harness = "#include <klee/klee.h>
int main(void) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); if (x == 3) return 1; return x > 77 ? 2 : 0; }";
    fs::write(at.join("h.c"), harness).expect("written");
    let done = tune(at, &["--time", "2s", "--concrete", "--json", "--dir", "d", "h.c"]);
    let object = done.json().expect("one object");
    assert_eq!(
        (object["coverage"]["native"].as_bool(), object["coverage"]["branches"].as_u64()),
        (Some(false), Some(2))
    );
    // Two results of `run` can be laid over each other; so can campaigns.
    for (name, limit) in [("a", "1"), ("b", "9")] {
        let words = ["run", "--quiet", "--no-replay", "--max-forks", limit, "-o", name, "h.c"];
        run(&mut forkwise(at, words), LIMIT);
    }
    let venn = run(&mut forkwise(at, ["venn", "--json", "a", "b"]), LIMIT).json().expect("one object");
    let sizes: Vec<u64> =
        venn["regions"].as_array().expect("a list").iter().filter_map(|r| r["branches"].as_u64()).collect();
    assert!(sizes.len() == 3 && sizes[0] == 0 && sizes[2] > 0, "a is inside b: {venn}");
    let other = run(&mut forkwise(at, ["venn", "a", "nowhere"]), LIMIT);
    assert_eq!(other.code(), Some(2));
}

#[test]
fn params_are_published() {
    let folder = scratch();
    let done = run(&mut forkwise(folder.path(), ["params", "--json"]), LIMIT);
    let list = done.json().expect("one object")["parameters"].as_array().expect("a list").clone();
    assert!(list.len() > 25);
    for p in &list {
        for field in ["name", "type", "default", "values", "max", "help"] {
            assert!(!p[field].is_null(), "{field} of {p}");
        }
    }
    let space = run(&mut forkwise(folder.path(), ["params", "--space"]), LIMIT).out();
    let space: Value = serde_json::from_str(&space).expect("a space file");
    assert!(space["space"]["--sym-arg"][1] == 5 && space["defaults"].is_object());
}

fn symtuner(folder: &Path, options: &[&str], environment: &[(&str, &Path)]) -> Finished {
    let mut words = vec!["symtuner", "--minimum-time-budget", "1", "--grace", "1"];
    words.extend(options);
    let mut command = forkwise(folder, words);
    command.envs(environment.iter().map(|(k, v)| (*k, v.as_os_str())));
    run(&mut command, LIMIT)
}

#[test]
fn an_engine_that_misbehaves_is_survived() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    // Tests to give: those of a real run, one of them an error with its place.
    fs::create_dir(at.join("tests")).expect("a folder");
    let real =
        run(&mut forkwise(at, ["klee", "--posix-runtime", "--output-dir=k", "p", "--sym-arg", "2"]), LIMIT);
    assert_eq!(real.code(), Some(0), "{}", real.err());
    for entry in fs::read_dir(at.join("k")).expect("results").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".ktest") || name.ends_with(".err") {
            fs::copy(entry.path(), at.join("tests").join(name)).expect("copied");
        }
    }
    let space = r#"{
        "space": {"-sym-arg": [[1, 2], 3], "-sym-files 1": [[4, 8], 1], "-search": [["dfs", "bfs"], 1],
                  "-sym-stdout": [["on", "off"], 1], "-max-instruction-time": [[10], 1], "-seed-file": [[], 1]},
        "defaults": {"-watchdog": null, "-ignore-solver-failures": null, "-output-module": "false"}}"#;
    fs::write(at.join("s.json"), space).expect("written");
    let fake = workspace().join("crates/cli/tests/fake_klee.sh");
    let (log, tests) = (at.join("log"), at.join("tests"));
    let options = [
        "-t",
        "12",
        "-s",
        "s.json",
        "-d",
        "out",
        "--step",
        "6",
        "--exploration-steps",
        "6",
        "--klee",
        fake.to_str().expect("a path"),
        "p",
        "p",
    ];
    let done = symtuner(at, &options, &[("FAKE_LOG", &log), ("FAKE_TESTS", &tests)]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let said = done.err();
    assert!(said.contains("symtuner [INFO] Iteration: 1 Time budget: 1 Time elapsed:"), "{said}");
    assert!(said.contains("SymTuner done. Achieve"), "{said}");
    assert!(said.contains("Option -max-instruction-time") && said.contains("Option -ignore-solver-failures"));
    let calls = lines(&log);
    assert!(calls.len() > 6, "it goes on after a crash, a hang, garbage and an error: {calls:?}");
    for call in &calls {
        let words: Vec<&str> = call.split(' ').collect();
        let program = words.iter().position(|w| w.ends_with("/p")).expect("the program");
        assert!(
            words[..program].contains(&"-watchdog") && words[..program].contains(&"-output-module=false"),
            "{call}"
        );
        assert!(words[..program].iter().any(|w| w.starts_with("-search=")), "{call}");
        assert!(words[..program].iter().any(|w| w.starts_with("-max-time=")), "{call}");
        assert!(words[program..].contains(&"-sym-arg") && call.contains("-sym-files 1 "), "{call}");
        assert!(!call.contains("instruction-time") && !call.contains("solver-failures"), "{call}");
    }
    assert!(
        calls.last().expect("a call").contains("-seed-file="),
        "after a round there are seeds: {calls:?}"
    );
    let curve = lines(&at.join("out/coverage.csv"));
    assert_eq!(curve.len(), calls.len());
    assert!(curve.iter().all(|l| {
        l.split_once(", ").is_some_and(|(a, b)| a.parse::<u64>().is_ok() && b.parse::<u64>().is_ok())
    }));
    let bugs = fs::read_to_string(at.join("out/found_bugs.txt")).expect("a file");
    assert!(bugs.starts_with("Testcase: /") && bugs.contains("p.c 10"), "{bugs}");
}

#[test]
fn this_engine_is_tuned_with_the_public_tools_files() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    // The three kinds of files there are: everything, without -optimize, and nothing but defaults.
    let generated = run(&mut forkwise(at, ["symtuner", "--generate-search-space-json"]), LIMIT);
    assert_eq!(generated.code(), Some(0), "{}", generated.err());
    let text = fs::read_to_string(at.join("example-space.json")).expect("a file");
    let mut all: Value = serde_json::from_str(&text).expect("an object");
    all["defaults"]["-watchdog"] = Value::Null;
    all["defaults"]["-disable-inlining"] = Value::Null;
    all["space"]["-max-instruction-time"] = serde_json::json!([[10, 20], 1]);
    let mut less = all.clone();
    less["space"].as_object_mut().expect("an object").remove("-optimize");
    let none = r#"{"space": {}, "defaults": {"-posix-runtime": null, "-libc": "uclibc", "-seed-file": "random_from_all",
        "-allow-seed-extension": null, "-allow-seed-truncation": null, "-sym-args 0 1": 10, "-sym-args 0 2": 2,
        "-sym-files 1": 8, "-sym-stdin": 8, "-sym-stdout": null, "-only-output-states-covering-new": null}}"#;
    for (name, text) in [("all", all.to_string()), ("less", less.to_string()), ("none", none.to_string())] {
        let file = format!("{name}.json");
        fs::write(at.join(&file), text).expect("written");
        let done = symtuner(at, &["-t", "4", "-s", &file, "-d", name, "--debug", "p", "p"], &[]);
        assert_eq!(done.code(), Some(0), "{}", done.err());
        let curve = lines(&at.join(name).join("coverage.csv"));
        let last: u64 = curve.last().and_then(|l| l.split(", ").nth(1)?.parse().ok()).unwrap_or(0);
        assert!(last >= 4, "{name}: {curve:?} {}", done.err());
        assert!(!done.err().contains("Fail("), "{}", done.err());
    }
}

#[test]
fn gcov_counts_where_the_program_does_not() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let built = Command::new("gcc").args(["--coverage", "-o", "g", "p.c"]).current_dir(at).status();
    if !built.is_ok_and(|s| s.success()) {
        return; // There is no gcc here; `forkwise doctor` says so.
    }
    let done = symtuner(at, &["-t", "3", "-d", "out", "--gcov-depth", "0", "p", "g"], &[]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let curve = lines(&at.join("out/coverage.csv"));
    let last: u64 = curve.last().and_then(|l| l.split(", ").nth(1)?.parse().ok()).unwrap_or(0);
    assert!(last >= 4, "{curve:?} {}", done.err());
    assert!(!at.join("g-p.gcda").exists(), "nothing is written beside the program");
}
