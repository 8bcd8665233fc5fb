//! `cargo xtask test`: setup, then every check and every test of the workspace, all of them even if one fails, and a
//! closing line with the sums. The tests themselves live with the crates; this only runs and counts them.

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, display};
use crate::{programs, setup};

/// What has been counted so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Runs everything. `long` adds the tests that take minutes.
pub fn run(workspace: &Workspace, long: bool) -> Result<()> {
    setup::run(workspace)?;
    setup::for_tests()?;
    let mut total = Counts::default();
    if available(workspace, "fmt") {
        total.add(check(workspace.cargo().args(["fmt", "--all", "--check"])));
    } else {
        println!("test: rustfmt is not installed, formatting is not checked");
    }
    if available(workspace, "clippy") {
        total.add(check(workspace.cargo().args([
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ])));
    } else {
        println!("test: clippy is not installed, lints are not checked");
    }
    let doc = ["doc", "--quiet", "--workspace", "--no-deps"];
    total.add(check(workspace.cargo().args(doc).env("RUSTDOCFLAGS", "-D warnings")));

    let with_environment = |mut command: Command| {
        // A traceback of every expected panic would drown the failures.
        command.env("RUST_BACKTRACE", "0");
        if long {
            command.env("FORKWISE_LONG", "1");
        }
        command
    };
    let mut tests = workspace.cargo();
    if available(workspace, "nextest") {
        tests.args(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"]);
        total.add(count(&mut with_environment(tests))?);
        let mut documentation = workspace.cargo();
        documentation.args(["test", "--quiet", "--workspace", "--doc", "--no-fail-fast"]);
        total.add(count(&mut with_environment(documentation))?);
    } else {
        tests.args(["test", "--workspace", "--no-fail-fast"]);
        total.add(count(&mut with_environment(tests))?);
    }
    let (passed, failed) = programs::test(&workspace.for_tests(), long)?;
    total.add(Counts { passed, failed });
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed > 0 {
        bail!("{} checks or tests failed", total.failed);
    }
    Ok(())
}

/// Whether a cargo subcommand is installed.
fn available(workspace: &Workspace, subcommand: &str) -> bool {
    let mut command = workspace.cargo();
    command.args([subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A check is one test: it passes or it does not.
fn check(command: &mut Command) -> Counts {
    println!("test: {}", display(command));
    match command.status() {
        Ok(status) if status.success() => Counts { passed: 1, failed: 0 },
        _ => {
            println!("test: failed: {}", display(command));
            Counts { passed: 0, failed: 1 }
        }
    }
}

/// Runs a test runner, shows what it writes as it comes, and adds up the summaries in it. A runner that fails without
/// naming a failed test (the code does not compile, the runner crashed) counts as one failure.
fn count(command: &mut Command) -> Result<Counts> {
    println!("test: {}", display(command));
    if std::io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", display(command)))?;
    let stdout = child.stdout.take().context("the runner has no standard output")?;
    let stderr = child.stderr.take().context("the runner has no standard error")?;
    let mut counts = Counts::default();
    thread::scope(|scope| {
        let other = scope.spawn(|| echo(BufReader::new(stdout), &mut std::io::stdout()));
        counts.add(echo(BufReader::new(stderr), &mut std::io::stderr()));
        // The echoing thread does not panic: it only reads, writes and counts.
        counts.add(other.join().unwrap_or_default());
    });
    let status = child.wait().context("the test runner was lost")?;
    if !status.success() && counts.failed == 0 {
        counts.failed = 1;
    }
    Ok(counts)
}

/// Copies lines and counts the summaries among them.
fn echo(mut from: impl BufRead, to: &mut impl Write) -> Counts {
    let mut counts = Counts::default();
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // A closed terminal must not end the counting.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        if let Some(summary) = summary(&String::from_utf8_lossy(&line)) {
            counts.add(summary);
        }
        line.clear();
    }
    counts
}

/// The counts in a summary line of `cargo test` (`test result: ok. 3 passed; 0 failed; …`) or of nextest
/// (`Summary [ 1.2s] 17 tests run: 16 passed (1 slow), 1 failed, 0 skipped`).
fn summary(line: &str) -> Option<Counts> {
    let plain = without_colours(line);
    // Indented, it is what nextest shows of a failed test, which its own summary counts.
    let counted = if let Some(rest) = plain.strip_prefix("test result:") {
        rest
    } else if plain.trim_start().starts_with("Summary [") {
        plain.split_once("run:")?.1
    } else {
        return None;
    };
    let number_before = |word: &str| -> usize {
        counted
            .split([',', ';', '.', '('])
            .filter_map(|part| part.trim().strip_suffix(word))
            .find_map(|number| number.trim().parse().ok())
            .unwrap_or(0)
    };
    let failed = ["failed", "timed out", "exec failed"].map(number_before).iter().sum();
    Some(Counts { passed: number_before("passed"), failed })
}

/// A line without the escape sequences that colour it.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_both_runners_are_understood() {
        let counts = |passed, failed| Some(Counts { passed, failed });
        assert_eq!(
            summary("test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.0s\n"),
            counts(3, 0)
        );
        assert_eq!(summary("test result: FAILED. 3 passed; 2 failed; 0 ignored\n"), counts(3, 2));
        assert_eq!(summary("    test result: FAILED. 0 passed; 1 failed; 0 ignored\n"), None);
        assert_eq!(
            summary("     Summary [   1.583s] 8/17 tests run: 7 passed, 1 failed, 0 skipped\n"),
            counts(7, 1)
        );
        assert_eq!(
            summary("     Summary [   3.1s] 17 tests run: 17 passed (2 slow), 0 skipped"),
            counts(17, 0)
        );
        assert_eq!(
            summary("     Summary [   3.1s] 9 tests run: 6 passed, 2 failed, 1 timed out, 0 skipped"),
            counts(6, 3)
        );
        assert_eq!(
            summary(
                "\u{1b}[32;1m     Summary\u{1b}[0m [   1.5s] \u{1b}[1m8\u{1b}[0m tests run: \u{1b}[1m8\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, 0 skipped"
            ),
            counts(8, 0)
        );
        assert_eq!(summary("test result is unknown"), None);
    }
}
