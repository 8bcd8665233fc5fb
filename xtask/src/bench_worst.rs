//! `cargo xtask bench worst`: how near to the worst input `forkwise worst` comes, for the subjects in `bench/worst`: cost
//! found over the cost of the hand-made worst input, and the seconds to get there, by subject, size and method. Hand-made
//! inputs are tests for the very program that is searched, so that nothing but the input differs. `--check` compares them
//! with all paths of small sizes instead. The table is in `report`.

mod ktest;
mod lz;
mod manual;
mod quicksort;
mod report;
mod subjects;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::report::Row;
use self::subjects::{Optimum, SUBJECTS, Subject};
use crate::engine;
use crate::setup;
use crate::workspace::{Workspace, capture, create_dir, display, remove};

/// What `cargo xtask bench worst` is asked for.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Subjects (default: the eight of the study; `all` for all).
    subjects: Vec<String>,
    /// Sizes (default: each subject's own; 10, 50, 75 and 100 for those of the study).
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<usize>,
    /// Methods, as for `forkwise worst`; `auto-PART` is `auto` without a part of it (an ablation).
    #[arg(long, value_delimiter = ',', default_value = "auto,ese,random,dfs,wise,spf-wca,dynamic")]
    methods: Vec<String>,
    /// Runs of which the mean counts, with the seeds 1, 2, …
    #[arg(long, default_value_t = 10)]
    seeds: u64,
    /// How long each run may search.
    #[arg(long, default_value = "5m")]
    time: String,
    /// Runs at the same time; each has one thread.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Time is what a run has had of a processor, not what has passed: for figures from a busy machine.
    #[arg(long)]
    cpu_time: bool,
    /// Search on until the time is up, even when the cost of the hand-made input is reached.
    #[arg(long)]
    to_the_end: bool,
    /// The file that the rows go to; it keeps the rows of other measurements.
    #[arg(long, value_name = "CSV", default_value = "bench/results/worst.csv")]
    out: PathBuf,
    /// The program to measure (default: the release build, made first).
    #[arg(long, value_name = "FORKWISE")]
    program: Option<PathBuf>,
    /// Another option for `forkwise worst`, as one word (may be repeated).
    #[arg(long = "worst-option", allow_hyphen_values = true)]
    worst_options: Vec<String>,
    /// Search nothing; explore all paths of small sizes and compare the worst with the hand-made inputs.
    #[arg(long)]
    check: bool,
    /// Search nothing; write the hand-made inputs into this folder as tests and print their costs.
    #[arg(long, value_name = "FOLDER", conflicts_with = "check")]
    manual: Option<PathBuf>,
}

/// Measures, or checks the hand-made inputs.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let selected = select(&options.subjects)?;
    setup::run(workspace)?;
    let forkwise = match &options.program {
        Some(program) => std::path::absolute(program).context("the current folder is gone")?,
        None => {
            engine::build_release(workspace)?;
            workspace.forkwise()
        }
    };
    // Two measurements at the same time do not meet.
    let folder = workspace.target.join("bench-worst").join(std::process::id().to_string());
    let done = measure_in(workspace, options, &selected, forkwise, &folder);
    remove(&folder)?;
    done
}

fn measure_in(
    workspace: &Workspace,
    options: &Options,
    selected: &[&'static Subject],
    forkwise: PathBuf,
    folder: &Path,
) -> Result<()> {
    let tools = &Tools { root: workspace.root.clone(), forkwise };
    if options.check {
        return check(tools, selected, folder);
    }
    let manual = options.manual.clone().unwrap_or_else(|| folder.join("manual"));
    let manual = std::path::absolute(manual).context("the current folder is gone")?;
    create_dir(&manual)?;
    let mut cases = Vec::new();
    for &subject in selected {
        let sizes = if options.sizes.is_empty() { subject.sizes } else { &options.sizes };
        for &size in sizes {
            let optimum = manual_cost(tools, subject, size, &manual)?;
            if options.manual.is_some() {
                println!("{:20} {size:>4} {optimum:>12}", subject.name);
            }
            cases.push(Case { subject, size, optimum });
        }
    }
    if options.manual.is_some() { Ok(()) } else { measure(tools, options, &cases, folder) }
}

/// What is run, and where the subjects are.
struct Tools {
    root: PathBuf,
    forkwise: PathBuf,
}

/// A program at a size, and what its hand-made input costs.
struct Case {
    subject: &'static Subject,
    size: usize,
    optimum: u64,
}

/// One run of a search.
struct Job<'a> {
    case: &'a Case,
    method: &'a str,
    seed: u64,
}

/// Runs all methods on all cases, prints rows as they are complete, and writes the tables.
fn measure(tools: &Tools, options: &Options, cases: &[Case], folder: &Path) -> Result<()> {
    let mut jobs = Vec::new();
    for case in cases {
        for method in &options.methods {
            jobs.extend((1..=options.seeds.max(1)).map(|seed| Job { case, method, seed }));
        }
    }
    let (next, runs) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let out = tools.root.join(&options.out);
    thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = search(tools, options, job, folder);
                    let mut runs = runs.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    match result {
                        Ok(found) => {
                            found.print(job);
                            runs.push((job, Some(found)));
                        }
                        Err(error) => {
                            let (name, size) = (job.case.subject.name, job.case.size);
                            println!("{name:16} {size:>4} {:8} failed: {error:#}", job.method);
                            runs.push((job, None));
                        }
                    }
                    // Hours of measuring must not be lost by what goes wrong in the end.
                    if let Err(error) = report::save(&out, &rows(options, cases, &runs)) {
                        println!("{error:#}");
                    }
                }
            });
        }
    });
    let runs = runs.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    println!("\n{}", report::markdown(&rows(options, cases, &runs), &options.methods));
    let failed = runs.iter().filter(|(_, found)| found.is_none()).count();
    if failed > 0 {
        bail!("{failed} of {} runs failed", runs.len());
    }
    Ok(())
}

/// The means of what was found so far.
fn rows(options: &Options, cases: &[Case], runs: &[(&Job<'_>, Option<Found>)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for case in cases {
        for method in &options.methods {
            let found: Vec<&Found> = runs
                .iter()
                .filter(|(job, _)| std::ptr::eq(job.case, case) && job.method == method)
                .filter_map(|(_, found)| found.as_ref())
                .collect();
            rows.extend(Row::new(case.subject, case.size, method, &options.time, case.optimum, &found));
        }
    }
    rows
}

/// What one run found.
struct Found {
    cost: u64,
    /// Until the answer was found.
    seconds: f64,
    paths: f64,
    solver_calls: f64,
}

impl Found {
    fn print(&self, job: &Job<'_>) {
        println!(
            "{:16} {:>4} {:8} seed {:<3} {:>10} of {:>10} = {:.4}  {:>7.1} s {:>8} paths {:>9} solver calls",
            job.case.subject.name,
            job.case.size,
            job.method,
            job.seed,
            self.cost,
            job.case.optimum,
            self.cost as f64 / job.case.optimum as f64,
            self.seconds,
            self.paths,
            self.solver_calls,
        );
    }
}

/// Runs `forkwise worst` once.
fn search(tools: &Tools, options: &Options, job: &Job<'_>, folder: &Path) -> Result<Found> {
    let subject = job.case.subject;
    let output = folder.join(format!("{}-{}-{}-{}", subject.name, job.case.size, job.method, job.seed));
    remove(&output)?;
    create_dir(folder)?;
    let mut command = Command::new(&tools.forkwise);
    let (method, without) = match job.method.split_once('-') {
        Some(("auto", part)) => ("auto", Some(part)),
        _ => (job.method, None),
    };
    command.args(["worst", "--json", "--quiet", "--no-replay", "--jobs", "1"]);
    command.args(["--method", method, "--time", &options.time]);
    if let Some(part) = without {
        command.args(["--without", part]);
    }
    if options.cpu_time {
        command.arg("--cpu-time");
    }
    if !options.to_the_end {
        command.args(["--target", &job.case.optimum.to_string()]);
    }
    command.args(["--size", &job.case.size.to_string(), "--seed", &job.seed.to_string()]);
    command.arg("--output").arg(&output).args(&options.worst_options);
    command.arg(source(tools, subject)).current_dir(folder);
    let json = object(&mut command)?;
    remove(&output)?;
    let number = |name: &str| json.get(name).and_then(Value::as_f64);
    let cost = json.get("cost").and_then(Value::as_u64);
    Ok(Found {
        cost: cost.with_context(|| format!("{} found no input: {json}", display(&command)))?,
        seconds: number("seconds_to_best").or_else(|| number("seconds")).unwrap_or(0.0),
        paths: number("paths").unwrap_or(0.0),
        solver_calls: number("solver_calls").unwrap_or(0.0),
    })
}

/// Explores all paths of small sizes: none may cost more than the hand-made input, where that is said to be the worst.
fn check(tools: &Tools, selected: &[&Subject], folder: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    println!("{:20} {:>4} {:>10} {:>10} {:>8}", "subject", "size", "manual", "worst", "paths");
    for subject in selected {
        for &size in subject.small {
            let manual = manual_cost(tools, subject, size, &folder.join("manual"))?;
            let (worst, paths) = exhaust(tools, subject, size, &folder.join("all-paths"))?;
            let note = match (manual.cmp(&worst), subject.optimum) {
                (std::cmp::Ordering::Equal, _) => "",
                (_, Optimum::BestKnown) => " (only the best known)",
                (_, Optimum::Proved) => {
                    wrong.push(format!("{} at size {size}", subject.name));
                    " WRONG"
                }
            };
            println!("{:20} {size:>4} {manual:>10} {worst:>10} {paths:>8}{note}", subject.name);
        }
    }
    if !wrong.is_empty() {
        bail!("the hand-made input is not the worst: {}", wrong.join(", "));
    }
    Ok(())
}

/// The highest cost of all paths of a size, and their number. What a test of a path costs is in its file.
fn exhaust(tools: &Tools, subject: &Subject, size: usize, folder: &Path) -> Result<(u64, usize)> {
    remove(folder)?;
    let mut command = Command::new(&tools.forkwise);
    command.args(["run", "--json", "--quiet", "--no-replay", "--all-tests"]);
    command.arg(format!("-DN={size}")).arg("--output").arg(folder).arg(source(tools, subject));
    let json = object(&mut command)?;
    if json.get("stop_reason").and_then(Value::as_str) != Some("complete") {
        bail!("{} did not explore all paths", display(&command));
    }
    let (mut worst, mut paths) = (0, 0);
    for entry in fs::read_dir(folder.join("tests")).context("no tests were written")? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.json") {
            let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let test: Value =
                serde_json::from_slice(&text).with_context(|| format!("{} is damaged", path.display()))?;
            let cost = test.get("instructions").and_then(Value::as_u64);
            worst = worst.max(cost.with_context(|| format!("{} has no cost", path.display()))?);
            paths += 1;
        }
    }
    remove(folder)?;
    Ok((worst, paths))
}

/// Writes the hand-made worst input of a size as a test into a folder; the answer is what the program executes on it.
fn manual_cost(tools: &Tools, subject: &Subject, size: usize, folder: &Path) -> Result<u64> {
    create_dir(folder)?;
    let test = folder.join(format!("{}-{size}.ktest", subject.name));
    ktest::write(&test, &(subject.manual)(size))?;
    let output = folder.join("out");
    remove(&output)?;
    let mut command = Command::new(&tools.forkwise);
    command.args(["run", "--json", "--quiet", "--no-replay", "--no-tests", "--mode", "concolic"]);
    command.args(["--executions", "1", "--max-path-instructions", "0", &format!("-DN={size}"), "--input"]);
    command.arg(&test).arg("--output").arg(&output).arg(source(tools, subject));
    let json = object(&mut command)?;
    remove(&output)?;
    if json.pointer("/paths/completed").and_then(Value::as_u64) != Some(1) {
        bail!("{} did not run to its end", display(&command));
    }
    json.get("instructions")
        .and_then(Value::as_u64)
        .with_context(|| format!("{} counted no instructions", display(&command)))
}

fn source(tools: &Tools, subject: &Subject) -> PathBuf {
    tools.root.join("bench/worst").join(subject.name).with_extension("c")
}

/// Runs a command whose standard output ends with one JSON object.
fn object(command: &mut Command) -> Result<Value> {
    let stdout = capture(command)?;
    let object = stdout.rfind("\n{").map_or(stdout.as_str(), |at| &stdout[at..]);
    serde_json::from_str(object).with_context(|| format!("{} printed no JSON object", display(command)))
}

/// The named subjects; by default those of the study.
fn select(names: &[String]) -> Result<Vec<&'static Subject>> {
    if names.is_empty() {
        return Ok(SUBJECTS.iter().filter(|subject| subject.of_study).collect());
    }
    if names.iter().any(|name| name == "all") {
        return Ok(SUBJECTS.iter().collect());
    }
    let find = |name: &String| {
        SUBJECTS.iter().find(|subject| subject.name == *name).with_context(|| {
            let known: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
            format!("no subject is called {name}; there are all, {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}
