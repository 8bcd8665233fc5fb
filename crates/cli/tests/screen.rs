//! What a terminal shows while a run goes on, at 80 and at 40 columns, with colours and without; and what comes where there is no terminal.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use support::{binary, forkwise, run, scratch};

const LIMIT: Duration = Duration::from_secs(60);
/// Endless in paths.
const PROGRAM: &str = "#include <forkwise.h>\nint main(void) { unsigned char a[400]; forkwise_symbolic(a, sizeof a, \"a\");\n\
    int n = 0; for (int i = 0; i < 400; i++) if (a[i] > 3) n++; return n == 399; }\n";

/// Something that has a worst input.
const SORT: &str = "#include <forkwise.h>\nint main(void) { int a[N]; forkwise_symbolic(a, sizeof a, \"a\");\n\
    for (int i = 1; i < N; i++) for (int j = i; j > 0 && a[j] < a[j - 1]; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }\n\
    return 0; }\n";

/// What a terminal of this width shows of a command once it shows all of `parts`, without and with its escape sequences.
fn shown(columns: u32, environment: &str, words: &str, parts: &[&str]) -> (String, String) {
    let folder = scratch();
    fs::write(folder.path().join("long.c"), PROGRAM).expect("the source can be written");
    // A server of its own: nothing of the user's is touched.
    let socket = folder.path().join("tmux");
    let tmux = |words: &[&str]| {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(words).current_dir(folder.path());
        run(&mut command, LIMIT)
    };
    fs::write(folder.path().join("sort.c"), SORT).expect("the source can be written");
    let line = format!("env {environment} {} {words}", binary().display());
    let columns = columns.to_string();
    let started = tmux(&["new-session", "-d", "-x", &columns, "-y", "24", &line]);
    assert_eq!(
        started.code(),
        Some(0),
        "there is no tmux? `cargo xtask test` installs it: {}",
        started.err()
    );
    let start = Instant::now();
    let found = loop {
        let plain = tmux(&["capture-pane", "-p"]).out();
        if parts.iter().all(|p| plain.contains(p)) {
            break (plain, tmux(&["capture-pane", "-p", "-e"]).out());
        }
        if start.elapsed() > LIMIT {
            tmux(&["kill-server"]);
            panic!("{parts:?} are not all in\n{plain}");
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    tmux(&["kill-server"]);
    found
}

const RUN: &str = "run --time 40s --max-memory 2G --no-replay --no-tests -o out long.c";
const PARTS: [&str; 8] =
    ["of 40 s", "branches 4/4", "█", "new branch", "queries/s", "solver", "MB of", "search frontier"];

#[test]
fn a_wide_terminal_shows_everything_in_color() {
    let (plain, colored) = shown(80, "-u NO_COLOR TERM=screen", RUN, &PARTS);
    let lines: Vec<&str> = plain.lines().filter(|l| !l.trim().is_empty()).collect();
    assert!(lines.len() <= 4, "it changes in place: {plain}");
    assert!(lines.iter().all(|l| l.chars().count() <= 80), "{plain}");
    assert!(colored.contains("\u{1b}["), "{colored}");
}

#[test]
fn a_narrow_terminal_shows_the_same_without_color() {
    let (plain, colored) = shown(40, "NO_COLOR=1 TERM=screen", RUN, &PARTS);
    let lines: Vec<&str> = plain.lines().filter(|l| !l.trim().is_empty()).collect();
    assert!(lines.iter().all(|l| l.chars().count() <= 40) && lines.len() <= 7, "{plain}");
    assert!(!colored.contains("\u{1b}["), "{colored}");
}

/// The other long commands, with what their screens show.
const OTHERS: [(&str, &[&str]); 4] = [
    (
        "worst --size 30 --time 50s --jobs 1 --no-replay -o out sort.c",
        &[
            "of 50 s",
            "size 30",
            "best cost",
            "█",
            "higher cost",
            "paths",
            "generations",
            "queries/s",
            "MB",
            "method auto",
        ],
    ),
    (
        "compare --search dfs,bfs --trials 9 --time 2s --jobs 2 long.c",
        &[
            "about",
            "left",
            "/18 trials",
            "2 running",
            "none failed",
            "best dfs 4.0",
            "branches 4/4",
            "█",
            "new branch",
            "MB of",
            "last ",
        ],
    ),
    (
        "train --mode concolic --trials 40 --trial 1s --jobs 2 long.c",
        &[
            "round 1, ",
            " trials",
            "2 running",
            "none failed",
            "best 4",
            "branches 4/4",
            "█",
            "MB of",
            "of 40 trials to learn from",
        ],
    ),
    (
        "tune --time 40s --jobs 2 long.c",
        &[
            "of 40 s",
            " trials",
            " running",
            "none failed",
            "best run ",
            "branches ",
            "█",
            "new branch",
            "MB of",
        ],
    ),
];

#[test]
fn every_long_command_has_a_screen_of_the_same_parts() {
    for (words, parts) in OTHERS {
        let (plain, _) = shown(80, "NO_COLOR=1 TERM=screen", words, parts);
        let lines: Vec<&str> = plain.lines().filter(|l| !l.trim().is_empty()).collect();
        assert!(lines.len() <= 7, "it changes in place: {plain}");
        assert!(lines.iter().all(|l| l.chars().count() <= 80), "{plain}");
    }
}

#[test]
fn every_long_command_fits_a_narrow_terminal() {
    for (words, parts) in OTHERS {
        let (plain, colored) = shown(40, "NO_COLOR=1 TERM=screen", words, parts);
        let lines: Vec<&str> = plain.lines().filter(|l| !l.trim().is_empty()).collect();
        assert!(lines.iter().all(|l| l.chars().count() <= 40) && lines.len() <= 12, "{plain}");
        assert!(!colored.contains("\u{1b}["), "{colored}");
    }
}

/// Longer than the period of plain lines, and nothing ends meanwhile.
#[test]
fn no_long_command_is_silent_for_long() {
    for words in [
        "worst --size 60 --time 7s --jobs 1 --no-replay -o out sort.c",
        "compare --search dfs --trials 1 --time 7s long.c",
        "tune --time 7s --policy default --budget-use once --jobs 1 long.c",
    ] {
        let folder = scratch();
        fs::write(folder.path().join("long.c"), PROGRAM).expect("the source can be written");
        fs::write(folder.path().join("sort.c"), SORT).expect("the source can be written");
        let done = run(&mut forkwise(folder.path(), words.split(' ')), LIMIT);
        let said = done.err();
        assert!(said.lines().any(|l| l.starts_with("forkwise: 5 s: ")), "{words}: {said}");
        assert!(!said.contains('\u{1b}') && !said.contains('\r'), "{said}");
        let folder = scratch();
        fs::write(folder.path().join("long.c"), PROGRAM).expect("the source can be written");
        fs::write(folder.path().join("sort.c"), SORT).expect("the source can be written");
        let words = words.replace("7s", "1s");
        let (verb, rest) = words.split_once(' ').expect("a verb and the rest");
        let words = format!("{verb} --quiet {rest}");
        let quiet = run(&mut forkwise(folder.path(), words.split(' ')), LIMIT);
        assert!(quiet.err().is_empty(), "{words}: {}", quiet.err());
    }
}

fn explored(folder: &Path, words: &[&str]) -> support::Finished {
    fs::write(folder.join("long.c"), PROGRAM).expect("the source can be written");
    // Depth first, there are few states at a time: neither memory nor its limit has a part in what is told when.
    let words = [&["run", "--no-replay", "--no-tests", "--search", "dfs"], words, &["long.c"]].concat();
    run(&mut forkwise(folder, words), LIMIT)
}

#[test]
fn elsewhere_there_are_plain_lines_or_none() {
    let folder = scratch();
    let done = explored(folder.path(), &["--time", "7s", "-o", "a"]);
    let lines: Vec<String> = done.err().lines().map(String::from).collect();
    assert!(
        lines.iter().any(|l| l.starts_with("forkwise: 5 s: ") && l.contains("4/4 branches")),
        "{lines:?}"
    );
    assert!(!done.err().contains('\u{1b}') && !done.err().contains('\r'));
    let quiet = explored(folder.path(), &["--time", "1s", "--quiet", "-o", "b"]);
    assert!(quiet.err().is_empty() && quiet.out().is_empty(), "{}{}", quiet.err(), quiet.out());

    // Telling of a run takes next to nothing of it: 0.1 % as measured. A busy machine counts its own pauses, so only what is far
    // from that fails here.
    let events = fs::read_to_string(folder.path().join("a/events.jsonl")).expect("there are events");
    let stop = events.lines().find(|l| l.contains("\"event\":\"stop\"")).expect("it stopped");
    let stop: serde_json::Value = serde_json::from_str(stop).expect("it is JSON");
    let share = stop["telling_seconds"].as_f64().expect("a time") / stop["seconds"].as_f64().expect("a time");
    assert!(share < 0.1, "{share}");
}
