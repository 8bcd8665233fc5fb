//! `forkwise compare`: heuristics side by side. Each trial is a `forkwise run` of its own, a child process with its own seed, so
//! that a crash costs one trial and nothing is shared but the machine.
//!
//! `heuristics` reads what is to be compared, `trial` runs one trial, `pool` runs all of them in parallel and shows how far
//! it is, `result` is what follows from them, `report` writes it as text, JSON and CSV.

mod heuristics;
mod pool;
mod report;
mod result;
mod trial;

use crate::app::{CLEAN, INCOMPLETE};
use crate::run::borrowed::Borrowed;
use crate::run::{options::Mode, session::machine_memory};
use crate::{console, signals};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use heuristics::Heuristic;
use std::num::NonZeroU32;
use std::path::PathBuf;
use trial::Order;

/// Run search heuristics side by side and compare what they cover.
#[derive(Args, Clone, Debug)]
pub struct CompareArgs {
    /// Trials of each heuristic; their seeds follow --seed
    #[arg(long, value_name = "N", default_value = "5", help_heading = "Comparison")]
    trials: NonZeroU32,

    /// Trials at the same time [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Comparison")]
    jobs: Option<NonZeroU32>,

    /// Write a row for each trial to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Comparison")]
    csv: Option<PathBuf>,

    /// List the branches that only one heuristic reached
    #[arg(long, help_heading = "Comparison")]
    list: bool,

    #[command(flatten)]
    run: Borrowed,
}

/// Options of `run` that mean nothing here, and why.
const REFUSED: [(&str, &str); 6] = [
    ("output", "trials keep no results"),
    ("all-tests", "trials write no tests"),
    ("replay-all", "trials are not run natively"),
    ("strict", "trials end with their budget"),
    ("log-queries", "all trials would write to one file"),
    ("max-tests", "trials write no tests"),
];

/// The verb.
pub fn main(args: &CompareArgs) -> anyhow::Result<u8> {
    let run = &args.run.args;
    if run.file().as_os_str().is_empty() {
        bail!("name the program, after the options: forkwise compare --search dfs,bfs --time 10s PROGRAM");
    }
    if let Some((option, why)) = REFUSED.iter().find(|(option, _)| args.run.is_given(option)) {
        bail!("--{option} has no meaning in a comparison: {why}; leave it out");
    }
    let (heuristics, mut notes) = heuristics::parse(run)?;
    check_budgets(args, &heuristics)?;
    notes.extend(run.misplaced().iter().map(|word| {
        format!("forkwise: note: {word} comes after the program and is passed to it; options of forkwise come before")
    }));
    for note in notes.iter().filter(|_| !run.quiet) {
        console::err_line(note);
    }
    // An unwritable file is found before hours of work, not after them.
    if let Some(file) = &args.csv {
        std::fs::write(file, "").with_context(|| format!("cannot write {}", file.display()))?;
    }
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = args.jobs.map_or(cores, |n| n.get() as usize);
    let seeds: Vec<u64> = (1..=u64::from(args.trials.get())).map(|i| run.seed.wrapping_add(i)).collect();
    let mut orders = Vec::new();
    // Seed by seed: what an interrupted comparison has finished can be compared.
    for seed in &seeds {
        for (i, heuristic) in heuristics.iter().enumerate() {
            orders.push(Order { heuristic: i, seed: *seed, words: words(args, heuristic, *seed, jobs) });
        }
    }
    let interrupt = signals::interrupt_flag()?;
    let done = pool::run(&orders, run.words(), jobs, &heuristics, run.time, run.quiet, &interrupt)?;
    if done.trials.is_empty() {
        bail!("interrupted before a trial was finished; there is nothing to compare");
    }
    let result = result::Comparison::new(run, &heuristics, &seeds, done.trials, done.interrupted);
    if let Some(file) = &args.csv {
        report::write_csv(&result, file)?;
    }
    match run.json {
        true => console::out(format!("{}\n", report::json(&result)))?,
        false => console::out(report::text(&result, args.list))?,
    }
    Ok(if done.interrupted { INCOMPLETE } else { CLEAN })
}

/// Every trial must end, and heuristics of one comparison by the same measure where there is one.
fn check_budgets(args: &CompareArgs, heuristics: &[Heuristic]) -> anyhow::Result<()> {
    let run = &args.run.args;
    if run.time.is_some() || run.max_instructions.is_some() {
        return Ok(());
    }
    match heuristics.iter().find(|h| h.mode == Mode::Explore) {
        Some(h) if run.executions.is_some() => bail!(
            "--executions is no budget for {}, which is not concolic; add --time or --max-instructions",
            h.name
        ),
        _ if run.executions.is_none() => {
            bail!(
                "give the trials a budget: --time, --max-instructions or, for concolic testing, --executions"
            )
        }
        _ => Ok(()),
    }
}

/// The command line of a trial, without the folder of its results.
fn words(args: &CompareArgs, heuristic: &Heuristic, seed: u64, jobs: usize) -> Vec<std::ffi::OsString> {
    let mut without = vec!["search", "mode", "seed", "json", "quiet", "no-tests", "no-replay"];
    without.extend(match heuristic.mode {
        Mode::Explore => ["executions", "input", "no-snapshots"].as_slice(),
        Mode::Concolic => ["batch-instructions", "slice-instructions"].as_slice(),
    });
    let mut words = vec!["run".into(), "--quiet".into(), "--no-tests".into(), "--no-replay".into()];
    words.extend(args.run.command_line(&without));
    words.push(format!("--mode={}", heuristic.mode.name()).into());
    words.push(format!("--search={}", heuristic.search).into());
    words.push(format!("--seed={seed}").into());
    if let (None, Some(all)) = (args.run.args.max_memory, machine_memory()) {
        // The trials share the machine.
        words.push(format!("--max-memory={}", ((all / jobs as u64) >> 20).max(256)).into());
    }
    words
}
