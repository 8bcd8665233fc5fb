//! `forkwise compare`: heuristics side by side, as a campaign. Each trial is a `forkwise run` of its own, a child process with its
//! own seed, so that a crash costs one trial and nothing is shared but the machine.
//!
//! `heuristics` reads what is to be compared, `batch` runs all trials and shows how far it is, `trial` is one of them,
//! `result` is what follows from them, `report` writes it as text, JSON and CSV. `train` ends with the same table.

pub mod batch;
pub mod heuristics;
pub mod report;
pub mod result;
pub mod trial;

use crate::app::{CLEAN, INCOMPLETE};
use crate::campaign::{self, progress::Progress};
use crate::run::borrowed::Borrowed;
use crate::run::options::Mode;
use crate::{console, signals};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use heuristics::Heuristic;
use std::num::NonZeroU32;
use std::path::PathBuf;

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

    /// Keep the trials in this folder; the same command goes on where it was interrupted
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Comparison")]
    dir: Option<PathBuf>,

    /// List the branches that only one heuristic reached
    #[arg(long, help_heading = "Comparison")]
    list: bool,

    #[command(flatten)]
    run: Borrowed,
}

/// Options of `run` that mean nothing here, and why.
const REFUSED: [(&str, &str); 7] = [
    ("output", "trials keep no results"),
    ("all-tests", "trials write no tests"),
    ("new-tests", "trials write no tests"),
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
    let jobs = campaign::jobs(args.jobs);
    let seeds: Vec<u64> = (1..=u64::from(args.trials.get())).map(|i| run.seed.wrapping_add(i)).collect();
    let interrupt = signals::interrupt_flag()?;
    let mut opened = campaign::open(args.dir.as_deref(), run, jobs, &interrupt)?;
    let mut entries = Vec::new();
    for heuristic in &heuristics {
        entries.push(batch::Entry::new(&args.run, heuristic, opened.memory, false)?);
    }
    let mut progress = Progress::new(run.quiet);
    progress.figures().memory_limit = Some((opened.memory << 20) * jobs as u64);
    let mut told = batch::Telling::new(&mut progress, entries.len() * seeds.len(), "comparing");
    let done = batch::run(&mut opened.campaign, &entries, &seeds, None, &mut told);
    progress.clear();
    let done = done?;
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
