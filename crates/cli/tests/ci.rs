//! `run --ci`, the workflow files in docs/ci, and harnesses that `forkwise harness` writes.

mod support;

use std::fs;
use std::time::Duration;
use support::{forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn ci_stops_at_the_first_bug_and_shows_it_beside_the_code() {
    let folder = scratch();
    fs::copy(workspace().join("examples/calculator.c"), folder.path().join("calculator.c"))
        .expect("it can be copied");
    let mut command = forkwise(folder.path(), ["run", "--ci", "-o", "out", "calculator.c"]);
    let done = run(command.env("GITHUB_ACTIONS", "true"), LIMIT);
    assert_eq!(done.code(), Some(1), "{}", done.err());
    let out = done.out();
    let line = out.lines().find(|l| l.starts_with("::error ")).unwrap_or_else(|| panic!("{out}"));
    assert!(line.starts_with("::error file=calculator.c,line=") && line.contains("title="), "{line}");
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).expect("there is a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("it is JSON");
    assert_eq!(summary["stop_reason"], "bug");
    assert!(folder.path().join("out/bugs.sarif").is_file());

    fs::write(folder.path().join("fine.c"), "int main(void) { return 0; }\n").expect("it can be written");
    let mut command = forkwise(folder.path(), ["run", "--ci", "-o", "fine", "fine.c"]);
    let done = run(command.env_remove("GITHUB_ACTIONS"), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(!done.out().contains("::error"));
}

#[test]
fn workflow_files_use_commands_that_exist() {
    for (name, needs) in [("github.yml", "upload-sarif"), ("gitlab-ci.yml", "junit")] {
        let path = workspace().join("docs/ci").join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(text.contains("forkwise run --ci") && text.contains(needs), "{name}");
        assert!(!text.contains('\t'), "{name}: YAML has no tabs");
    }
}

#[test]
fn a_harness_for_a_function_finds_its_bug() {
    let folder = scratch();
    let source = "#include <stddef.h>\n#include <stdlib.h>\nstruct hidden;\n\
        typedef struct { int year; char month; } date;\n\
        static int check(const char *text, size_t length, date *d, struct hidden *h, int (*f)(int), _Bool strict)\n\
        { if (h || f || !d) return 1; if (length == 3 && text[0] == 'x' && d->year == 77 && strict) abort(); return 0; }\n\
        int main(void) { return check(\"\", 0, 0, 0, 0, 0); }\n";
    fs::create_dir(folder.path().join("src")).expect("a folder can be made");
    fs::write(folder.path().join("src/date.c"), source).expect("it can be written");
    let done = run(&mut forkwise(folder.path(), ["harness", "check", "src/date.c"]), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let text = fs::read_to_string(folder.path().join("harness_check.c")).expect("it was written");
    assert!(text.contains("#include \"src/date.c\"") && text.contains("date in_d[1]"), "{text}");
    assert!(text.contains("h (struct hidden *) cannot be guessed"), "{text}");
    let done = run(&mut forkwise(folder.path(), ["run", "--quiet", "-o", "out", "harness_check.c"]), LIMIT);
    assert_eq!(done.code(), Some(1), "{}", done.err());
    let refused = |words: &[&str], says: &str| {
        let done = run(&mut forkwise(folder.path(), words), LIMIT);
        assert_eq!(done.code(), Some(2), "{words:?}");
        assert!(done.err().contains(says), "{words:?}: {}", done.err());
    };
    refused(&["harness", "check", "src/date.c"], "exists already");
    refused(&["harness", "nothing", "src/date.c", "-o", "n.c"], "has no function nothing");
    refused(&["harness", "a;b", "src/date.c"], "is not the name of a C function");
    refused(&["harness", "check", "nowhere.c", "-o", "n.c"], "there is no file nowhere.c");
    fs::write(folder.path().join("broken.c"), "int f(int x { }").expect("it can be written");
    refused(&["harness", "f", "broken.c", "-o", "n.c"], "does not compile");
}
