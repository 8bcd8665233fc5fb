//! `cargo xtask programs --check`: every program on concrete command lines in the engine, and natively on the very tests
//! that makes; both must do the same. The native side is `forkwise replay`, so files, user and clock are equal on both.
//! The command lines are in `table`.

use std::collections::BTreeMap;
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

/// What the checks found of one program.
#[derive(Debug, Default)]
pub struct Checked {
    /// The command lines that are not the same on both sides, and how.
    pub problems: Vec<String>,
    /// Functions of the program and the part of the C library it uses.
    pub functions: u64,
    /// Branches the engine sees in the program's code.
    pub branches: u64,
}

/// Checks programs that are built and prints what differs; the results are in the order of the programs.
pub fn check(
    workspace: &Workspace,
    selected: &[(&'static Package, &'static Program)],
) -> Result<Vec<Checked>> {
    let folder = workspace.target.join("programs-check");
    let files = folder.join("files");
    create_dir(&files)?;
    for (name, text) in FILES {
        fs::write(files.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, Checked>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(selected.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((package, program)) = selected.get(index) else { break };
                    let checker = Checker {
                        workspace,
                        program,
                        executable: executable(workspace, package, program, Flavour::Forkwise),
                        files: &files,
                        folder: folder.join(program.name),
                    };
                    let checked = checker.run().unwrap_or_else(|error| Checked {
                        problems: vec![format!("{}: {error:#}", program.name)],
                        ..Checked::default()
                    });
                    checked.problems.iter().for_each(|problem| println!("programs: {problem}"));
                    let mut results = results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    results.insert(index, checked);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(results.into_values().collect())
}

/// Says how many command lines were compared, and fails if any was not the same.
pub fn conclude(selected: &[(&'static Package, &'static Program)], checked: &[Checked]) -> Result<()> {
    let lines: usize = selected.iter().map(|(_, program)| program.checks.len()).sum();
    let problems: usize = checked.iter().map(|one| one.problems.len()).sum();
    println!("programs: {} programs, {lines} command lines, {problems} problems", selected.len());
    if problems > 0 {
        bail!("{problems} command lines are not the same in the engine and natively");
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
    fn run(&self) -> Result<Checked> {
        remove(&self.folder)?;
        create_dir(&self.folder)?;
        let mut checked = Checked::default();
        let mut explored = Vec::new();
        for (index, check) in self.program.checks.iter().enumerate() {
            let results = self.folder.join(index.to_string());
            match self.explore(check, &results) {
                Ok(branches) => {
                    checked.branches = branches;
                    explored.push((check, results));
                }
                Err(error) => {
                    checked.problems.push(format!("{}: {error:#}", command_line(self.program, check)));
                }
            }
        }
        let Some((_, last)) = explored.last() else { return Ok(checked) };
        checked.functions = functions(&last.join("info"))?;
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
                checked.problems.push(format!("{}: {outcome}: {how}", command_line(self.program, check)));
            }
        }
        Ok(checked)
    }

    /// Runs one command line in the engine: one path, to its end. The number of branches it knows of.
    fn explore(&self, check: &Check, results: &Path) -> Result<u64> {
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
        Ok(report["coverage"]["branches_total"].as_u64().unwrap_or(0))
    }
}

/// The number of functions in what a run wrote about its program.
fn functions(info: &Path) -> Result<u64> {
    let text = fs::read_to_string(info).with_context(|| format!("cannot read {}", info.display()))?;
    let number = text.lines().find_map(|line| line.strip_prefix("functions: ")?.trim().parse().ok());
    number.with_context(|| format!("{} does not say how many functions there are", info.display()))
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
