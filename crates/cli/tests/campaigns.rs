//! Campaigns as users meet them: `train` and `compare --dir` are killed, interrupted, starved of space and started twice, and
//! neither lose anything, nor do anything twice, nor come to another result. Budgets are in executions, so that everything repeats.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Finished, finish, forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(120);

/// A small training: 15 trials to learn from, and 6 to compare.
const SMALL: [&str; 21] = [
    "train",
    "--mode",
    "concolic",
    "--trials",
    "15",
    "--trial-executions",
    "25",
    "--samples",
    "6",
    "--keep",
    "2",
    "--repeats",
    "2",
    "--final-seeds",
    "2",
    "--against",
    "gen,cfds",
    "--jobs",
    "2",
    "--json",
    "--quiet",
];

/// A copy of the program in a folder of its own.
fn program(folder: &Path) {
    let from = workspace().join("tests/programs/realistic/json_parser.c");
    fs::copy(from, folder.join("json.c")).expect("the program is there");
}

fn training(folder: &Path, dir: &str) -> Command {
    let mut command = forkwise(folder, SMALL);
    command.args(["--dir", dir, "-o", &format!("{dir}.toml"), "json.c"]);
    command
}

fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Ids of trials in the events: those that were run, and those that were known.
fn trials(done: &Finished) -> (Vec<String>, Vec<String>) {
    let events = done.out();
    let events = events.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    let (reused, ran): (Vec<Value>, Vec<Value>) =
        events.filter(|e| e["event"] == "trial").partition(|e| e["reused"] == true);
    let ids = |list: Vec<Value>| list.iter().map(|e| e["id"].as_str().expect("an id").to_string()).collect();
    (ids(ran), ids(reused))
}

/// What a result says that must not depend on how it was come to.
fn essence(done: &Finished) -> Value {
    let mut result = done.json().expect("an object");
    for field in ["folder", "file", "seconds", "trial_seconds", "tests"] {
        result[field] = Value::Null;
    }
    for trial in result["comparison"]["trials"].as_array_mut().expect("trials") {
        trial["seconds"] = Value::Null;
    }
    result
}

fn children(of: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    tasks
        .flat_map(|t| {
            let list = fs::read_to_string(t.path().join("children")).unwrap_or_default();
            list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

fn signal(name: &str, id: u32) {
    // It may have ended by itself just now.
    Command::new("kill").args([name, &id.to_string()]).stderr(Stdio::null()).status().expect("kill is there");
}

fn wait_for(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn killed_at_any_moment_a_campaign_comes_to_the_same_result() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let whole = run(&mut training(at, "whole"), LIMIT);
    assert_eq!(whole.code(), Some(0), "{}", whole.err());
    let (ran, reused) = trials(&whole);
    assert!(ran.len() >= 14 && reused.is_empty(), "{ran:?} {reused:?}");

    // The campaign is killed again and again, a bit later each time.
    let mut ids = BTreeSet::new();
    let mut kills = 0;
    let killed = loop {
        let child = start(&mut training(at, "killed"));
        let pid = child.id();
        let moment = Duration::from_millis(150 + 170 * kills);
        let killer = std::thread::spawn(move || {
            std::thread::sleep(moment);
            (kills < 8).then(|| signal("-KILL", pid))
        });
        let done = finish(child, LIMIT);
        killer.join().expect("the killer ends");
        let (ran, _) = trials(&done);
        for id in ran {
            assert!(ids.insert(id.clone()), "{id} was run twice");
        }
        kills += 1;
        if done.code().is_some() {
            break done;
        }
    };
    assert!(kills > 1, "it was killed at least once");
    assert_eq!(killed.code(), Some(0), "{}", killed.err());
    assert_eq!(essence(&whole), essence(&killed));
    assert_eq!(text(at, "whole.toml"), text(at, "killed.toml"));

    // Once more: everything is known.
    let again = run(&mut training(at, "killed"), LIMIT);
    assert_eq!(essence(&again), essence(&whole));
    assert!(trials(&again).0.is_empty());
    assert_eq!(fs::read_dir(at.join("killed/running")).expect("a folder").count(), 0);
}

#[test]
fn killed_trials_are_run_again() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let whole = run(&mut training(at, "whole"), LIMIT);
    let child = start(&mut training(at, "shot"));
    let pid = child.id();
    let killer = std::thread::spawn(move || {
        // A trial that is killed three times counts as it is.
        for pause in [400, 700] {
            std::thread::sleep(Duration::from_millis(pause));
            if let Some(child) = children(pid).first() {
                signal("-KILL", *child);
            }
        }
    });
    let done = finish(child, LIMIT);
    killer.join().expect("the killer ends");
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(essence(&done), essence(&whole));
    assert_eq!(text(at, "whole.toml"), text(at, "shot.toml"));
}

#[test]
fn an_interrupt_keeps_what_is_finished() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let child = start(&mut training(at, "c"));
    let pid = child.id();
    // Something is finished as soon as the corpus has a test.
    wait_for("nothing is ever finished", || fs::read_dir(at.join("c/corpus")).is_ok_and(|d| d.count() > 0));
    let theirs = children(pid);
    signal("-INT", pid);
    let done = finish(child, LIMIT);
    assert!(done.took < Duration::from_secs(60));
    assert_eq!(done.code(), Some(3), "{}", done.err());
    assert_eq!(done.json().expect("an object")["interrupted"], true);
    assert!(theirs.iter().all(|c| !Path::new(&format!("/proc/{c}")).exists()), "a trial still runs");
    assert_eq!(fs::read_dir(at.join("c/running")).expect("a folder").count(), 0);
    let finished = trials(&done).0;
    assert!(!finished.is_empty());
    let on = run(&mut training(at, "c"), LIMIT);
    assert_eq!(on.code(), Some(0), "{}", on.err());
    let (ran, reused) = trials(&on);
    assert!(finished.iter().all(|id| reused.contains(id) && !ran.contains(id)));
}

#[test]
fn one_campaign_in_one_folder() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let first = start(&mut training(at, "c"));
    wait_for("the campaign never begins", || at.join("c/campaign.sqlite").exists());
    let second = run(&mut training(at, "c"), LIMIT);
    assert_eq!(second.code(), Some(2));
    assert!(second.err().contains("a campaign is running in c already"), "{}", second.err());
    assert_eq!(finish(first, LIMIT).code(), Some(0));
    // Another campaign is not this one.
    for (words, why) in [
        // An option of ours may follow the program; behind `--` it is the program's.
        (&["--seed", "5"][..], "is another one: the seed was 0, now it is 5"),
        (&["--", "--seed", "5"], "is another one: what trials run was"),
    ] {
        let other = run(training(at, "c").args(words), LIMIT);
        assert_eq!(other.code(), Some(2), "{}", other.err());
        assert!(other.err().contains(why), "{}", other.err());
    }
    let comparing = ["compare", "--search", "dfs", "--max-instructions", "500", "--dir", "json.c", "json.c"];
    let wrong = run(&mut forkwise(at, comparing), LIMIT);
    assert!(wrong.code() == Some(2) && wrong.err().contains("json.c"), "{}", wrong.err());
}

#[test]
fn folders_that_cannot_be_written_to() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    // Nobody can create anything there, root included.
    let mut command = forkwise(at, SMALL);
    command.args(["--dir", "/sys/forkwise-campaign", "-o", "w.toml", "json.c"]);
    let done = run(&mut command, LIMIT);
    assert_eq!(done.code(), Some(2));
    assert!(done.err().contains("/sys/forkwise-campaign"), "{}", done.err());
    assert!(done.err().contains("name another folder"), "{}", done.err());
}

#[test]
fn a_full_disk_is_an_error_and_what_was_finished_is_kept() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let shell = |script: &str| {
        let mut command = Command::new("sh");
        let inner = training(at, "c");
        command.current_dir(at).args(["-c", script, "sh"]).arg(inner.get_program()).args(inner.get_args());
        for (key, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
        run(&mut command, LIMIT)
    };
    // A file system of its own where that is allowed, first a small one, then the same with enough space. Elsewhere files
    // may not grow, which is the same to who writes them.
    let space = "mount -t tmpfs -o size=600k none c && { \"$@\"; echo $? >code; mount -o remount,size=200m c; \"$@\"; }";
    let growth = "trap '' XFSZ; (ulimit -f 560; \"$@\"); echo $? >code; \"$@\"";
    let script = format!(
        "mkdir c; if unshare -m mount -t tmpfs none c 2>/dev/null; then exec unshare -m sh -c '{space}' sh \"$@\"; fi; {growth}"
    );
    let done = shell(&script);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(text(at, "code"), "2\n", "{}", done.err());
    assert!(done.err().contains("there is no space left in c"), "{}", done.err());
    let whole = run(&mut training(at, "whole"), LIMIT);
    assert_eq!(essence(&done), essence(&whole));
    let (ran, _) = trials(&done);
    assert_eq!(ran.iter().collect::<BTreeSet<_>>().len(), ran.len(), "nothing was run twice");
}

#[test]
fn what_was_learned_is_used_and_read() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let options: Vec<&str> = SMALL.iter().copied().filter(|o| *o != "--json").collect();
    let mut command = forkwise(at, options);
    let done = run(command.args(["--csv", "t.csv", "json.c"]), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let said = done.out();
    for part in ["learned from", "learned ", "gen ", "cfds ", "it favours", "learned:json.heuristic.toml"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // Its folder has a corpus that can be replayed, and a row for each trial.
    let tests = fs::read_dir(at.join("json.concolic.campaign/corpus")).expect("a folder").count();
    assert!(tests > 3 && said.contains(&format!("{tests} tests in")), "{tests}: {said}");
    assert!(text(at, "t.csv").lines().any(|l| l.starts_with("learn 1 check,")), "{}", text(at, "t.csv"));
    let seeded = ["run", "--quiet", "--no-replay", "--seed-tests", "json.concolic.campaign/corpus"];
    let mut command = forkwise(at, seeded);
    let run_on = run(command.args(["--max-instructions", "200000", "-o", "x", "json.c"]), LIMIT);
    assert!(matches!(run_on.code(), Some(0 | 1)), "{}", run_on.err());
    let search = ["--search", "learned:json.heuristic.toml", "--executions", "10", "-o", "y", "json.c"];
    let mut command = forkwise(at, ["run", "--json", "--mode", "concolic", "--no-replay"]);
    let used = run(command.args(search), LIMIT);
    assert_eq!(used.json().expect("an object")["search"], "learned:json.heuristic.toml", "{}", used.err());

    let shown = run(&mut forkwise(at, ["heuristic", "show", "json.heuristic.toml"]), LIMIT);
    assert!(
        shown.out().contains("weights of concolic for json") && shown.out().contains("optimizer: refine")
    );
    let shown = run(&mut forkwise(at, ["heuristic", "show", "--json", "json.heuristic.toml"]), LIMIT);
    assert_eq!(shown.json().expect("an object")["features"].as_array().map(Vec::len), Some(40));
    let same = ["heuristic", "diff", "json.heuristic.toml", "json.heuristic.toml"];
    let same = run(&mut forkwise(at, same), LIMIT);
    assert!(same.out().contains("cosine 1.000, 0 of 40 signs differ"), "{}", same.out());
    let bad = run(&mut forkwise(at, ["heuristic", "show", "json.c"]), LIMIT);
    assert!(bad.code() == Some(2) && bad.err().contains("json.c"), "{}", bad.err());
}

#[test]
fn the_frontier_search_is_learned_unless_another_family_is_named() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let options = [
        "train",
        "--trials",
        "12",
        "--trial-instructions",
        "20000",
        "--samples",
        "4",
        "--keep",
        "2",
        "--repeats",
        "1",
        "--final-seeds",
        "1",
        "--against",
        "frontier",
        "--json",
        "--quiet",
    ];
    let learn = |more: &[&str]| {
        let mut command = forkwise(at, options);
        let done = run(command.args(more).arg("json.c"), LIMIT);
        assert_eq!(done.code(), Some(0), "{}", done.err());
        done.json().expect("an object")
    };
    let frontier = learn(&["--dir", "f", "-o", "f.toml"]);
    assert_eq!((&frontier["family"], &frontier["mode"]), (&"frontier".into(), &"explore".into()));
    assert!(text(at, "f.toml").contains("family = \"frontier\""));
    assert!(frontier["weights"]["new-edge"].is_number());
    let states = learn(&["--dir", "s", "-o", "s.toml", "--family", "states"]);
    assert!(states["family"] == "states" && states["weights"]["distance-low"].is_number());
    for (file, search) in [("f.toml", "learned:f.toml"), ("s.toml", "learned:s.toml")] {
        let mut command = forkwise(at, ["run", "--json", "--no-replay", "--max-instructions", "20000"]);
        let used =
            run(command.args(["-o", &file.replace("toml", "out"), "--search", search, "json.c"]), LIMIT);
        assert_eq!(used.json().expect("an object")["search"], search, "{}", used.err());
    }
    let other = run(&mut forkwise(at, ["heuristic", "diff", "f.toml", "s.toml"]), LIMIT);
    assert!(other.code() == Some(2) && other.err().contains("no features in common"), "{}", other.err());
    // One campaign never becomes another.
    let mut command = forkwise(at, options);
    let done = run(command.args(["--dir", "s", "json.c"]), LIMIT);
    assert!(done.code() == Some(2) && done.err().contains("family frontier"), "{}", done.err());
}

#[test]
fn comparisons_can_be_resumed() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let options = [
        "compare",
        "--search",
        "dfs,concolic:gen",
        "--max-instructions",
        "5000",
        "--trials",
        "2",
        "--dir",
        "c",
        "json.c",
    ];
    let first = run(&mut forkwise(at, options), LIMIT);
    assert_eq!(first.code(), Some(0), "{}", first.err());
    let again = run(&mut forkwise(at, options), LIMIT);
    assert_eq!(first.out(), again.out());
    assert!(!again.err().contains("trial 4/4"), "nothing is run again: {}", again.err());
}

#[test]
fn mistakes_in_training_are_usage_errors() {
    let folder = scratch();
    let at = folder.path();
    program(at);
    let cases: [(&[&str], &str); 9] = [
        (&["--trials", "5", "--family", "branches"], "there are frontier, states"),
        (&["--trials", "5", "--family", "states", "--mode", "concolic"], "is for --mode egt"),
        (&[], "--budget 1h, or --trials N"),
        (&["--trials", "5", "--search", "dfs"], "--search has no meaning in training"),
        (&["--trials", "5", "--time", "1s"], "--trial is the time of a trial"),
        (&["--trials", "5", "--trial-executions", "5"], "is for concolic testing"),
        (&["--trials", "5", "--against", "nonsense"], "'nonsense'"),
        (&["--trials", "5", "--against", "concolic:gen"], "of the other mode"),
        (&["--trials", "5", "-o", "no/such/file.toml"], "cannot write no/such/file.toml"),
    ];
    for (options, part) in cases {
        let mut command = forkwise(at, ["train"]);
        let done = run(command.args(options).arg("json.c"), LIMIT);
        assert!(done.code() == Some(2) && done.err().contains(part), "{options:?}: {}", done.err());
    }
    let done = run(&mut forkwise(at, ["train", "--trials", "5"]), LIMIT);
    assert!(done.code() == Some(2) && done.err().contains("name the program"), "{}", done.err());
    assert!(!at.join("json.explore.campaign").exists(), "mistakes leave nothing behind");
}
