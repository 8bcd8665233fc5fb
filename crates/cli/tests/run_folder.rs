//! What a run leaves in its folder for machines and reports: events, status, coverage, profile, execution tree. They agree with each
//! other, and whatever a killed run left can be read.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use support::{forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(60);

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn events(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("events.jsonl")).expect("there are events");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

fn of<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|e| e["event"] == name).collect()
}

fn explore(mode: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = scratch();
    let source = workspace().join("examples/calculator.c");
    let args =
        ["run", "--quiet", "--mode", mode, "--max-instructions", "3000000", "--no-replay", "-o", "out"];
    let mut command = forkwise(folder.path(), args);
    let done = run(command.arg(source), LIMIT);
    assert!(matches!(done.code(), Some(0 | 1)), "{}", done.err());
    let out = folder.path().join("out");
    (folder, out)
}

#[test]
fn events_coverage_profile_and_tree_agree() {
    for mode in ["explore", "concolic"] {
        let (_folder, out) = explore(mode);
        let events = events(&out);
        let summary = read(&out.join("summary.json"));
        assert_eq!(of(&events, "start").len(), 1);
        assert_eq!(of(&events, "stop").len(), 1);
        assert_eq!(of(&events, "bug").len(), summary["bugs"].as_array().map_or(0, Vec::len));
        let last = *of(&events, "progress").last().expect("there is progress");
        assert_eq!(last["branches_covered"], summary["coverage"]["branches_covered"], "{mode}");
        assert_eq!(last["lines_covered"], summary["coverage"]["lines_covered"]);
        assert_eq!(last["lines_total"], summary["coverage"]["lines_total"]);

        // Every covered arm has exactly one test that reached it first.
        let coverage = read(&out.join("coverage.json"));
        let mut covered = BTreeSet::new();
        for branch in coverage["branches"].as_array().expect("branches") {
            let first = branch[0].as_u64().expect("a number");
            covered.extend(
                branch[5].as_array().expect("arms").iter().map(|a| first + a.as_u64().expect("a number")),
            );
        }
        let mut reached = BTreeSet::new();
        for test in of(&events, "test") {
            assert!(
                out.join(format!("tests/{:06}.ktest", test["number"].as_u64().expect("a number"))).is_file()
            );
            for arm in test["arms"].as_array().expect("arms") {
                assert!(
                    reached.insert(arm.as_u64().expect("a number")),
                    "{mode}: arm {arm} was reached first twice"
                );
            }
        }
        assert_eq!(covered, reached, "{mode}");
        let program = read(&out.join("program.json"));
        let arms: usize = program["branches"]
            .as_array()
            .expect("branches")
            .iter()
            .map(|b| b[5].as_array().map_or(0, Vec::len))
            .sum();
        assert_eq!(arms as u64, coverage["total"].as_u64().expect("a number"));

        let tree = read(&out.join("tree.json"));
        let nodes = tree["nodes"].as_array().expect("nodes");
        let sum = |key: &str| nodes.iter().filter_map(|n| n[key].as_u64()).sum::<u64>();
        let paths = &summary["paths"];
        assert!(
            sum("n")
                <= paths["completed"].as_u64().expect("paths") + paths["partial"].as_u64().expect("paths")
        );
        assert!(sum("n") > 10, "{mode}");
        for (i, node) in nodes.iter().enumerate() {
            assert!(node["p"].as_u64().is_none_or(|p| (p as usize) < i), "parents come first");
        }
        let profile = read(&out.join("profile.json"));
        let places = profile["places"].as_array().expect("places");
        let forks: u64 = places.iter().filter_map(|p| p[4].as_u64()).sum();
        assert_eq!(forks, summary["forks"].as_u64().expect("forks"), "{mode}");
        let sampled: u64 =
            profile["stacks"].as_array().expect("stacks").iter().filter_map(|s| s[2].as_u64()).sum();
        let executed = summary["instructions"].as_u64().expect("instructions");
        assert!(sampled * 10 > executed * 9, "{mode}: {sampled} of {executed}");
    }
}

#[test]
fn what_a_killed_run_leaves_can_be_read() {
    let folder = scratch();
    let source = folder.path().join("long.c");
    // Endless in paths, so that it is killed in the middle of something.
    let text = "#include <forkwise.h>\nint main(void) { unsigned char a[400]; forkwise_symbolic(a, sizeof a, \"a\");\n\
                int n = 0; for (int i = 0; i < 400; i++) if (a[i] > 3) n++; return n == 399; }\n";
    fs::write(&source, text).expect("the source can be written");
    let mut command = forkwise(folder.path(), ["run", "--quiet", "-o", "out", "long.c"]);
    let mut child = command.spawn().expect("it starts");
    let out = folder.path().join("out");
    let start = Instant::now();
    while fs::read_to_string(out.join("events.jsonl")).unwrap_or_default().matches("progress").count() < 2 {
        assert!(start.elapsed() < LIMIT, "no progress was told");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert_eq!(read(&out.join("status.json"))["state"], "running");
    for name in ["program.json", "coverage.json"] {
        read(&out.join(name));
    }
    assert!(events(&out).iter().any(|e| e["event"] == "progress"));
}
