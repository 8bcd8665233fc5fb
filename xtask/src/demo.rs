//! `cargo xtask demo`: from a fresh machine to results. Sets up, builds the release, explores every bundled example and
//! shows what came out: paths, tests, bugs, coverage, speed. The programs are in `examples/`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::engine::{self, Run, human};
use crate::examples::{self, Example};
use crate::setup;
use crate::workspace::{Workspace, create_dir, remove, run as run_command};

/// A demonstration ends: an example that has more paths than this is cut off, and the line says so.
const BUDGET: &str = "20s";

/// Runs the demonstration.
pub fn run(workspace: &Workspace) -> Result<()> {
    setup::run(workspace)?;
    println!("demo: building forkwise");
    engine::build_release(workspace)?;
    let examples = examples::all(workspace)?;
    let folder = workspace.target.join("demo");
    remove(&folder)?;
    let mut totals = Totals::default();
    for example in &examples {
        let place = folder.join(&example.name);
        let run = explore(workspace, example, &place)
            .with_context(|| format!("the example {} could not be explored", example.name))?;
        let arguments = &example.command.arguments;
        let title: Vec<&str> =
            std::iter::once(example.name.as_str()).chain(arguments.iter().map(String::as_str)).collect();
        show(&title.join(" "), &run, &place);
        totals.add(&run);
    }
    totals.show(examples.len());
    println!("Results: {}", folder.display());
    println!(
        "Explore a program of your own: target/release/forkwise run program.c; docs/real-programs.md shows a larger one"
    );
    Ok(())
}

/// Runs an example as its comment says; a program is built first, as any project is.
fn explore(workspace: &Workspace, example: &Example, place: &Path) -> Result<Run> {
    let mut options = vec!["--time", BUDGET];
    options.extend(example.command.options.iter().map(String::as_str));
    let arguments: Vec<&str> = example.command.arguments.iter().map(String::as_str).collect();
    let mut program = example.path.clone();
    if example.command.built {
        create_dir(place)?;
        program = place.join(&example.name);
        let mut cc = Command::new(workspace.forkwise());
        run_command(cc.args(["cc", "-g", "-o"]).arg(&program).arg(&example.path))?;
    }
    engine::explore_with(workspace, &program, &options, &arguments, place)
}

fn show(name: &str, run: &Run, folder: &Path) {
    println!();
    let stop = match run.text("/stop_reason") {
        "complete" => "all paths explored".to_owned(),
        other => format!("stopped by: {other}"),
    };
    println!("{name}: {stop} in {:.2} s", run.seconds());
    println!(
        "  {} paths, {} tests, {} of {} branches and {} of {} lines covered",
        human(run.number("/paths/completed") + run.number("/paths/partial")),
        human(run.number("/tests")),
        run.number("/coverage/branches_covered"),
        run.number("/coverage/branches_total"),
        run.number("/coverage/lines_covered"),
        run.number("/coverage/lines_total"),
    );
    println!(
        "  {} instructions ({}/s), {} solver queries, {} reached the SAT solver",
        human(run.number("/instructions")),
        human(per_second(run.number("/instructions"), run.seconds())),
        human(run.number("/solver/queries")),
        human(run.number("/solver/sat_calls")),
    );
    for bug in run.bugs() {
        let field = |name: &str| bug.get(name).and_then(Value::as_str).unwrap_or("?");
        let file = Path::new(field("file"));
        let confirmed = match bug.get("confirmed").and_then(Value::as_bool) {
            Some(true) => ", confirmed natively",
            Some(false) => ", not confirmed natively",
            None => "",
        };
        println!(
            "  bug: {} in {} ({}:{}){confirmed}",
            field("kind"),
            field("function"),
            file.file_name().unwrap_or(file.as_os_str()).to_string_lossy(),
            bug.get("line").and_then(Value::as_u64).unwrap_or(0),
        );
    }
    if run.bugs().is_empty() {
        println!("  no bugs");
    }
    let output = Path::new(run.text("/output"));
    println!("  {}", if output.is_absolute() { output.to_path_buf() } else { folder.join(output) }.display());
}

#[derive(Default)]
struct Totals {
    tests: f64,
    bugs: usize,
    instructions: f64,
    seconds: f64,
    wall: Duration,
}

impl Totals {
    fn add(&mut self, run: &Run) {
        self.tests += run.number("/tests");
        self.bugs += run.bugs().len();
        self.instructions += run.number("/instructions");
        self.seconds += run.seconds();
        self.wall += run.wall;
    }

    fn show(&self, programs: usize) {
        println!();
        println!(
            "{programs} programs: {} tests, {} bugs, {} instructions at {}/s, {:.1} s with compiling and confirming",
            human(self.tests),
            self.bugs,
            human(self.instructions),
            human(per_second(self.instructions, self.seconds)),
            self.wall.as_secs_f64(),
        );
    }
}

fn per_second(count: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { count / seconds } else { 0.0 }
}
