//! `cargo xtask bench concolic`: executions a second in concolic testing, with snapshots and without. The measurement on
//! our own program is `crates/concolic/benches/concolic.rs`; grep is measured through the command, if `cargo xtask programs`
//! has built it.

use std::process::Command;

use anyhow::Result;

use crate::engine;
use crate::workspace::{Workspace, remove, run as run_command};

const ARGUMENTS: &[&str] = &["--sym-arg", "8", "--sym-stdin", "20"];
const EXECUTIONS: &str = "200";

/// Measures.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["bench", "--quiet", "--package", "forkwise-concolic", "--bench", "concolic"]);
    run_command(command.current_dir(&workspace.root))?;
    let grep = workspace.target.join("programs/grep/forkwise/grep/src/grep");
    if !grep.exists() {
        println!("\ngrep is not there; `cargo xtask programs grep` builds it");
        return Ok(());
    }
    engine::build_release(workspace)?;
    let folder = workspace.target.join("bench/concolic");
    println!("\ngrep {}, {EXECUTIONS} executions each, at most a minute", ARGUMENTS.join(" "));
    println!(
        "{:14} {:>12} {:>10} {:>10} {:>10} {:>14}",
        "heuristic", "snapshots", "s", "executions", "solving s", "instructions"
    );
    for search in ["random-branch", "dfs", "cfds", "gen"] {
        for snapshots in [true, false] {
            let mut options = vec!["--mode", "concolic", "--search", search, "--executions", EXECUTIONS];
            options.extend(["--time", "60s", "--no-replay", "--no-tests"]);
            if !snapshots {
                options.push("--no-snapshots");
            }
            remove(&folder)?;
            let run = engine::explore_with(workspace, &grep, &options, ARGUMENTS, &folder)?;
            println!(
                "{search:14} {:>12} {:>10.2} {:>10} {:>10.2} {:>14}",
                if snapshots { "yes" } else { "no" },
                run.seconds(),
                run.number("/executions"),
                run.number("/solver/seconds"),
                engine::human(run.number("/instructions"))
            );
        }
    }
    remove(&folder)
}
