//! A program built with `gcc --coverage`, run on tests; the totals are those that `gcov` itself prints.

use std::process::Command;
use std::time::Duration;

use forkwise_replay::gcov::{Count, GcovError, Sources, read};
use forkwise_replay::{Ending, Limits, Program, Runner, RunnerOptions};
use forkwise_testcase::TestCase;

const MAIN: &str = r#"
#include "../inline.h"
int other(int);
int main(int argc, char **argv) {
  int n = argc > 1 ? argv[1][0] - '0' : 0;
  if (n == 1 && argc > 2)
    return twice(n);
  switch (n) { case 3: return 1; case 4: return other(n); }
  return other(0);
}"#;
const OTHER: &str = "#include \"../inline.h\"\nint other(int n) { return n ? twice(n) : 0; }\n";
const INLINE: &str = "static inline int twice(int n) { return n > 2 ? 2 * n : 3; }\n";

#[test]
fn branches_and_lines_are_gcovs() {
    let dir = tempfile::tempdir().unwrap();
    // A space in the path must not matter.
    let source = dir.path().join("my src");
    std::fs::create_dir(&source).unwrap();
    for (name, text) in [("my src/main.c", MAIN), ("my src/other.c", OTHER), ("inline.h", INLINE)] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let built = Command::new("gcc")
        .args(["--coverage", "-O0", "main.c", "other.c", "-o", "p"])
        .current_dir(&source)
        .status()
        .unwrap();
    assert!(built.success());
    let program = Program::new(&source.join("p")).unwrap();
    let runner = Runner::new(&RunnerOptions { gcov: true, ..Default::default() }).unwrap();
    let sources = Sources::new(&[dir.path().display().to_string()]);
    assert!(matches!(read(&runner.gcov_directories(), &sources), Err(GcovError::NoData)));

    let limits = Limits { wall: Duration::from_secs(5), ..Limits::default() };
    let run = |args: &[&str]| {
        let args = std::iter::once("p").chain(args.iter().copied()).map(|a| a.as_bytes().to_vec()).collect();
        runner.run_test(&program, &TestCase::new(args, vec![]), &limits).unwrap().ending
    };
    assert_eq!(run(&["1", "x"]), Ending::Exited(3));
    assert_eq!(run(&["4"]), Ending::Exited(8));
    // Two at a time have a directory each.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..5).for_each(|_| assert_eq!(run(&[]), Ending::Exited(0))));
        }
    });
    let report = read(&runner.gcov_directories(), &sources).unwrap();
    let of = |name: &str| report.by_file.iter().find(|(path, _)| path.ends_with(name)).unwrap().1;
    assert_eq!(report.by_file.len(), 3);
    assert_eq!(of("other.c").branches, Count { covered: 2, total: 2 });
    assert_eq!(of("inline.h").lines, Count { covered: 1, total: 1 });
    let twice = report.by_function.iter().find(|((_, name), _)| name == "twice").unwrap().1;
    assert_eq!(*twice, of("inline.h").branches);
    assert_eq!(of("main.c").lines, Count { covered: 6, total: 6 });
    let main_only = read(&runner.gcov_directories(), &Sources::new(&["main.c".into()])).unwrap();
    assert_eq!((main_only.by_file.len(), main_only.total().branches), (1, of("main.c").branches));

    // The same runs outside of a sandbox, counted by gcov itself.
    for args in [&["1", "x"][..], &["4"], &[]] {
        Command::new(source.join("p")).args(args).status().unwrap();
    }
    let out = Command::new("gcov").args(["-b", "-n", "p-main.gcda"]).current_dir(&source).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let main = &text[text.find("File 'main.c'").expect(&text)..];
    let taken = main.lines().find_map(|line| line.strip_prefix("Taken at least once:")).unwrap();
    let Count { covered, total } = of("main.c").branches;
    assert_eq!(taken, format!("{:.2}% of {total}", 100.0 * covered as f64 / total as f64));
    assert!(!source.join("gcov").exists());
}
