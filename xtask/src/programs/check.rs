//! `cargo xtask programs --check`: every program on concrete command lines in the engine, and natively on the very tests
//! that makes; both must do the same. The native side is `forkwise replay`, so files, user and clock are equal on both.
//! The command lines are in `table`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::build::{Flavour, executable};
use super::command_line;
use super::recipe::{Check, Package, Program};
use crate::workspace::{Workspace, create_dir, display, remove};

/// The files every command line finds in its folder.
const FILES: &[(&str, &str)] = &[
    ("A", "one two\nthree four\nTwo two\n\nfive\n"),
    ("B", "one two\nthree 4\n\tTwo  two\nlast line, longer than the others\nfive\n"),
    ("X", "<?xml version='1.0'?>\n<a b='c'><!-- d --><e/>f &amp; g</a>\n"),
];

/// Programs checked at the same time.
const AT_A_TIME: usize = 2;

/// Longest time of one command line, in the engine and natively.
const TIMEOUT: &str = "60s";

/// Checks programs that are built, prints what differs, and fails if anything does.
pub fn check(workspace: &Workspace, selected: &[(&'static Package, &'static Program)]) -> Result<()> {
    let folder = workspace.target.join("programs-check");
    let files = folder.join("files");
    create_dir(&files)?;
    for (name, text) in FILES {
        fs::write(files.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(selected.len()) {
            scope.spawn(|| {
                while let Some((package, program)) = selected.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let checker = Checker {
                        workspace,
                        program,
                        executable: executable(workspace, package, program, Flavour::Forkwise),
                        files: &files,
                        folder: folder.join(program.name),
                    };
                    let found =
                        checker.run().unwrap_or_else(|error| vec![format!("{}: {error:#}", program.name)]);
                    found.iter().for_each(|problem| println!("programs: {problem}"));
                    problems.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(found);
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let lines: usize = selected.iter().map(|(_, program)| program.checks.len()).sum();
    println!("programs: {} programs, {lines} command lines, {} problems", selected.len(), problems.len());
    if !problems.is_empty() {
        bail!("{} command lines are not the same in the engine and natively", problems.len());
    }
    Ok(())
}

struct Checker<'a> {
    workspace: &'a Workspace,
    program: &'a Program,
    executable: PathBuf,
    files: &'a Path,
    folder: PathBuf,
}

impl Checker<'_> {
    /// What is not as it should be, one text for each command line.
    fn run(&self) -> Result<Vec<String>> {
        remove(&self.folder)?;
        create_dir(&self.folder)?;
        let mut problems = Vec::new();
        let mut explored = Vec::new();
        for (index, check) in self.program.checks.iter().enumerate() {
            let results = self.folder.join(index.to_string());
            match self.explore(check, &results) {
                Ok(()) => explored.push((check, results)),
                Err(error) => problems.push(format!("{}: {error:#}", command_line(self.program, check))),
            }
        }
        if explored.is_empty() {
            return Ok(problems);
        }
        let mut command = Command::new(self.workspace.forkwise());
        command.args(["replay", "--json", "--jobs", "1", "--timeout", TIMEOUT]).arg(&self.executable);
        command.args(explored.iter().map(|(_, results)| results));
        let report = json_of(&mut command)?;
        for (check, results) in explored {
            let of_this = |test: &&Value| {
                test["test"].as_str().is_some_and(|path| Path::new(path).starts_with(&results))
            };
            let test = report["tests"].as_array().into_iter().flatten().find(of_this);
            let outcome = test.and_then(|test| test["check"].as_str()).unwrap_or("not replayed");
            if outcome != "same" {
                let how = test.map_or("there is no test".to_owned(), describe);
                problems.push(format!("{}: {outcome}: {how}", command_line(self.program, check)));
            }
        }
        Ok(problems)
    }

    /// Runs one command line in the engine: one path, to its end.
    fn explore(&self, check: &Check, results: &Path) -> Result<()> {
        let mut command = Command::new(self.workspace.forkwise());
        command.args(["run", "--json", "--quiet", "--no-replay", "--time", TIMEOUT, "--output"]).arg(results);
        for (name, _) in FILES {
            command.arg("--file").arg(format!("{name}={}", self.files.join(name).display()));
        }
        if !check.input.is_empty() {
            let input = results.with_extension("stdin");
            fs::write(&input, check.input).with_context(|| format!("cannot write {}", input.display()))?;
            command.arg("--stdin").arg(input);
        }
        command.arg(&self.executable).args(check.arguments);
        let report = json_of(&mut command)?;
        let bugs = report["bugs"].as_array().map_or(0, Vec::len);
        if bugs > 0 {
            bail!("the engine reports {}", report["bugs"][0]["message"]);
        }
        if report["paths"]["completed"] != 1 {
            bail!("the path did not end: {}", report["left_out"]);
        }
        Ok(())
    }
}

/// Runs a forkwise command that prints one JSON object. Status 1 (bugs or divergences) is a result.
fn json_of(command: &mut Command) -> Result<Value> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", display(command)))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}: {}", display(command), output.status, text.trim_end());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let object = text.lines().rfind(|line| line.starts_with('{')).unwrap_or(&text);
    serde_json::from_str(object).with_context(|| format!("{} printed no JSON object", display(command)))
}

fn describe(test: &Value) -> String {
    let differences = test["differences"].as_array().into_iter().flatten();
    let texts: Vec<&str> = differences.filter_map(Value::as_str).collect();
    if texts.is_empty() { test["ending"].to_string() } else { texts.join("; ") }
}
