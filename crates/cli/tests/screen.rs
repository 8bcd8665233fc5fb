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

/// What a terminal of this width shows once it shows all of `parts`, without and with its escape sequences.
fn shown(columns: u32, environment: &str, parts: &[&str]) -> (String, String) {
    let folder = scratch();
    fs::write(folder.path().join("long.c"), PROGRAM).expect("the source can be written");
    // A server of its own: nothing of the user's is touched.
    let socket = folder.path().join("tmux");
    let tmux = |words: &[&str]| {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(words).current_dir(folder.path());
        run(&mut command, LIMIT)
    };
    let line = format!(
        "env {environment} {} run --time 40s --max-memory 2G --no-replay --no-tests -o out long.c",
        binary().display()
    );
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

const PARTS: [&str; 8] =
    ["of 40 s", "branches 4/4", "█", "new branch", "queries/s", "solver", "MB of", "search frontier"];

#[test]
fn a_wide_terminal_shows_everything_in_color() {
    let (plain, colored) = shown(80, "-u NO_COLOR TERM=screen", &PARTS);
    let lines: Vec<&str> = plain.lines().filter(|l| !l.trim().is_empty()).collect();
    assert!(lines.len() <= 4, "it changes in place: {plain}");
    assert!(lines.iter().all(|l| l.chars().count() <= 80), "{plain}");
    assert!(colored.contains("\u{1b}["), "{colored}");
}

#[test]
fn a_narrow_terminal_shows_the_same_without_color() {
    let (plain, colored) = shown(40, "NO_COLOR=1 TERM=screen", &PARTS);
    let lines: Vec<&str> = plain.lines().filter(|l| !l.trim().is_empty()).collect();
    assert!(lines.iter().all(|l| l.chars().count() <= 40) && lines.len() <= 7, "{plain}");
    assert!(!colored.contains("\u{1b}["), "{colored}");
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
