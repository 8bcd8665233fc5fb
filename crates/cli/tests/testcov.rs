//! Test-Comp suites against the tool that reads them there: PyPI's `testcov`, installed into a folder of its own. Needs
//! the network, so it is among the long tests; where it does not install, the test says so.

mod support;

use std::fs;
use std::process::Command;
use std::time::Duration;

use support::{forkwise, run, scratch};

const PROGRAM: &str = "
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  if (a > 100) return 1;
  unsigned char c = __VERIFIER_nondet_uchar();
  if (c == 'x') return 2;
  if (a < -5) return 3;
  return 0;
}
";

#[test]
fn testcov_measures_the_coverage_that_the_engine_predicts() {
    if !support::long() {
        eprintln!("skipped: FORKWISE_LONG is not set");
        return;
    }
    let folder = scratch();
    let limit = Duration::from_secs(300);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let made = run(Command::new("python3").args(["-m", "venv", &at("venv")]), limit);
    let installed = run(Command::new(at("venv/bin/pip")).args(["install", "-q", "testcov"]), limit);
    if made.code() != Some(0) || installed.code() != Some(0) {
        eprintln!("skipped: testcov does not install: {}{}", made.err(), installed.err());
        return;
    }
    fs::write(folder.path().join("p.c"), PROGRAM).unwrap();
    for arguments in [
        &["run", "-q", "-o", "out", "p.c"][..],
        &["export", "out", "--format", "testcomp", "--program", "p.c", "-o", "suite"],
    ] {
        let done = run(&mut forkwise(folder.path(), arguments), limit);
        assert_eq!(done.code(), Some(0), "{}", done.err());
    }
    let pack = "import shutil; shutil.make_archive('suite', 'zip', 'suite')";
    assert_eq!(run(Command::new("python3").args(["-c", pack]).current_dir(&folder), limit).code(), Some(0));
    let path = format!("{}:{}", at("venv/bin"), std::env::var("PATH").unwrap_or_default());
    let done = run(
        Command::new(at("venv/bin/testcov"))
            .args(["--no-isolation", "--use-gcov", "--no-plots", "-64", "--test-suite", "suite.zip", "p.c"])
            .env("PATH", path)
            .current_dir(&folder),
        limit,
    );
    let text = done.out() + &done.err();
    assert!(text.contains("Tests run: 4") && text.contains("Coverage: 100.0%"), "{text}");
}
