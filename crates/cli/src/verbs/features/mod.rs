//! `forkwise features`: what a parametric search knows. Without a program it prints the tables of features, the names that
//! weight files use; with one it runs it as `run` does and writes the features of whatever was chosen as CSV (`log`).

mod log;

use crate::app::CLEAN;
use crate::console;
use crate::engine::Engine;
use crate::heuristic::words::meaning;
use crate::run::borrowed::Borrowed;
use crate::run::options::Mode;
use crate::run::session::{self, Wishes};
use crate::run::weights::names;
use anyhow::bail;
use clap::{Args, ValueHint};
use forkwise_explore::STATE_STATISTICS;
use forkwise_learn::weights::Family;
use log::Log;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Print the features that searches weigh; with a program, run it and write their values as CSV.
#[derive(Args, Clone, Debug)]
pub struct FeaturesArgs {
    /// Write the values to this file [default: standard output; the summary then goes to standard error]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Features")]
    csv: Option<PathBuf>,

    /// Write only every Nth choice
    #[arg(long, value_name = "N", help_heading = "Features")]
    every: Option<NonZeroU64>,

    #[command(flatten)]
    run: Borrowed,
}

/// The verb.
pub fn main(args: &FeaturesArgs) -> anyhow::Result<u8> {
    let run = &args.run.args;
    if run.file().as_os_str().is_empty() {
        if args.csv.is_some() || args.every.is_some() {
            bail!(
                "--csv and --every are for the run of a program; name one, or leave them out to see the tables"
            );
        }
        let modes = match args.run.is_given("mode") {
            true => vec![run.mode],
            false => vec![Mode::Explore, Mode::Concolic],
        };
        let text = match run.json {
            true => format!("{:#}\n", modes.iter().map(|m| (m.name(), json_table(*m))).collect::<Value>()),
            false => modes.iter().map(|m| text_table(*m)).collect::<Vec<_>>().join("\n"),
        };
        console::out(text)?;
        return Ok(CLEAN);
    }
    if run.json && args.csv.is_none() {
        bail!("--json and the CSV both want standard output; add --csv FILE");
    }
    let every = args.every.map_or(1, NonZeroU64::get);
    let mut log: Option<Log> = None;
    let mut prepare = |engine: &mut Engine| {
        log = Some(Log::attach(engine, args.csv.as_deref(), every)?);
        Ok(())
    };
    let wishes = Wishes { prepare: Some(&mut prepare), stdout_is_taken: args.csv.is_none() };
    let code = session::explore(run, wishes)?;
    if let Some(log) = log {
        log.finish()?;
    }
    Ok(code)
}

/// The families of a mode.
fn families(mode: Mode) -> &'static [Family] {
    match mode {
        Mode::Explore => &[Family::States, Family::Frontier],
        Mode::Concolic => &[Family::Branches],
    }
}

/// Number, name and meaning of the features of a family.
fn table(family: Family) -> Vec<(usize, &'static str, &'static str)> {
    names(family).into_iter().enumerate().map(|(i, name)| (i + 1, name, meaning(family, i))).collect()
}

fn text_table(mode: Mode) -> String {
    families(mode).iter().map(|family| text_of(mode, *family)).collect::<Vec<_>>().join("\n")
}

fn text_of(mode: Mode, family: Family) -> String {
    let features = table(family);
    let what = match family {
        Family::States => "features of a state",
        Family::Frontier => "features of the frontier search (family frontier); θ is the weight",
        Family::Branches => "features of a branch on the last path",
    };
    let mut out = format!("--mode {}: {} {what}\n", mode.name(), features.len());
    let width = features.iter().map(|f| f.1.len()).max().unwrap_or(0);
    for (number, name, meaning) in features {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{number:>3}  {name:width$}  {meaning}");
    }
    out
}

fn json_table(mode: Mode) -> Value {
    let entry = |(number, name, meaning)| json!({"number": number, "name": name, "meaning": meaning});
    let list = |family| table(family).into_iter().map(entry).collect::<Vec<Value>>();
    match mode {
        Mode::Explore => {
            let statistic =
                |(i, s): (usize, &forkwise_explore::StateStatistic)| entry((i + 1, s.name, s.meaning));
            let statistics: Vec<Value> = STATE_STATISTICS.iter().enumerate().map(statistic).collect();
            json!({"statistics": statistics, "features": list(Family::States), "frontier": list(Family::Frontier)})
        }
        Mode::Concolic => json!({"features": list(Family::Branches)}),
    }
}
