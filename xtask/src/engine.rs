//! Driving the built `forkwise` program: building the release, running it with `--json` and reading the object it prints
//! at the end. The tasks that show or measure something (`demo`, `bench`) stand on this.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace::{Workspace, create_dir, display, run};

/// Builds the release program.
pub fn build_release(workspace: &Workspace) -> Result<()> {
    run(workspace.cargo().args(["build", "--release", "--package", "forkwise"]))
}

/// One finished run.
pub struct Run {
    /// The JSON object the engine printed.
    pub json: Value,
    /// Wall time of the whole process, loading and writing results included.
    pub wall: Duration,
}

impl Run {
    /// A number of the object by its JSON pointer, 0 if absent.
    pub fn number(&self, pointer: &str) -> f64 {
        self.json.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0)
    }

    /// A text of the object by its JSON pointer, empty if absent.
    pub fn text(&self, pointer: &str) -> &str {
        self.json.pointer(pointer).and_then(Value::as_str).unwrap_or("")
    }

    /// The bugs.
    pub fn bugs(&self) -> &[Value] {
        self.json.pointer("/bugs").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Seconds of exploration as the engine counts them.
    pub fn seconds(&self) -> f64 {
        self.number("/seconds")
    }
}

/// Runs `forkwise run --json OPTIONS PROGRAM` in a folder. Bugs (exit status 1) are a result, not an error.
pub fn explore(workspace: &Workspace, program: &Path, options: &[&str], folder: &Path) -> Result<Run> {
    explore_with(workspace, program, options, &[], folder)
}

/// The same with arguments for the program.
pub fn explore_with(
    workspace: &Workspace,
    program: &Path,
    options: &[&str],
    arguments: &[&str],
    folder: &Path,
) -> Result<Run> {
    create_dir(folder)?;
    let mut command = Command::new(workspace.forkwise());
    // After `--` nothing is taken for an option of the engine.
    command.arg("run").arg("--json").args(options).arg("--").arg(program).args(arguments);
    command.current_dir(folder).stdin(Stdio::null());
    let started = Instant::now();
    let output = command.output().with_context(|| format!("cannot start {}", display(&command)))?;
    let wall = started.elapsed();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("{} ended with {}\n{}", display(&command), output.status, stderr.trim_end());
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    // The explored program may print before the object.
    let object = stdout.rfind("\n{").map_or(stdout.as_ref(), |at| &stdout[at..]);
    let json = serde_json::from_str(object).with_context(|| {
        format!("{} did not print one JSON object at its end\n{}", display(&command), stderr.trim_end())
    })?;
    Ok(Run { json, wall })
}

/// A rate or count with a unit a person can read: 1234567 is `1.2 M`.
pub fn human(number: f64) -> String {
    let (value, unit) = match number {
        n if n >= 1e9 => (n / 1e9, " G"),
        n if n >= 1e6 => (n / 1e6, " M"),
        n if n >= 1e4 => (n / 1e3, " k"),
        n => return format!("{n:.0}"),
    };
    format!("{value:.1}{unit}")
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(human(0.0), "0");
        assert_eq!(human(9999.0), "9999");
        assert_eq!(human(131_072.0), "131.1 k");
        assert_eq!(human(338e6), "338.0 M");
    }
}
