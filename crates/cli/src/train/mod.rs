//! `forkwise train`: a search heuristic for a program, learned by running it. Trials are a campaign; the optimiser is
//! `forkwise_learn`'s; the closing table is `compare`'s.
//!
//! `options` declares the options, `setting` decides what they mean, `learning` is the loop between optimiser and campaign,
//! `closing` compares what was learned with what people made, `report` writes all of it as text, JSON, CSV and weight file.

mod closing;
mod learning;
mod options;
mod report;
mod setting;

pub use options::TrainArgs;

use crate::app::{CLEAN, INCOMPLETE};
use crate::campaign::{self, progress::Progress};
use crate::{console, signals};
use anyhow::{Context, bail};
use learning::Learned;
use report::Events;
use setting::Setting;
use std::fs::OpenOptions;
use std::path::Path;

/// The verb.
pub fn main(args: &TrainArgs) -> anyhow::Result<u8> {
    let borrowed = &args.run.0;
    let run = &borrowed.args;
    if run.file().as_os_str().is_empty() {
        bail!("name the program, after the options: forkwise train --budget 1h --trial 10s PROGRAM");
    }
    if let Some((option, why)) = options::REFUSED.iter().find(|(option, _)| borrowed.is_given(option)) {
        bail!("--{option} has no meaning in training: {why}");
    }
    let jobs = campaign::jobs(args.jobs);
    let setting = Setting::new(args, jobs)?;
    for word in run.misplaced().iter().filter(|_| !run.quiet) {
        console::err_line(&format!(
            "forkwise: note: {word} comes after the program and is passed to it; options of forkwise come before"
        ));
    }
    // An unwritable file is found before hours of work, not after them.
    for file in std::iter::once(&setting.output).chain(&args.csv) {
        check_writable(file)?;
    }
    let interrupt = signals::interrupt_flag()?;
    let mut opened = campaign::open(Some(&setting.folder), run, jobs, &interrupt)?;
    let setting = setting.with_memory(args, opened.memory)?;
    setting.fix(opened.campaign.store_mut())?;
    let mut progress = Progress::new(run.quiet);
    progress.figures().memory_limit = Some((opened.memory << 20) * jobs as u64);
    let mut events = Events::new(run.json);
    let result = work(args, &setting, &mut opened.campaign, &mut progress, &mut events);
    progress.clear();
    let (learned, closing) = result?;
    let Some(learned) = learned else {
        bail!(
            "interrupted before a trial was finished; the same command goes on in {}",
            setting.folder.display()
        );
    };
    let store = opened.campaign.store();
    setting.weights(&learned, closing.as_ref()).write(&setting.output, &setting.names)?;
    if let Some(file) = &args.csv {
        report::write_csv(store, file)?;
    }
    let interrupted = opened.campaign.interrupted();
    let report = report::Report::new(&setting, &learned, closing.as_ref(), store, interrupted)?;
    match run.json {
        true => console::out(format!("{}\n", report.json()))?,
        false => console::out(report.text())?,
    }
    Ok(if interrupted { INCOMPLETE } else { CLEAN })
}

type Worked = (Option<Learned>, Option<closing::Closing>);

/// Learns and compares, as far as an interrupt lets it.
fn work(
    args: &TrainArgs,
    setting: &Setting,
    campaign: &mut forkwise_campaign::Campaign,
    progress: &mut Progress,
    events: &mut Events,
) -> anyhow::Result<Worked> {
    let Some(learned) = learning::learn(setting, campaign, progress, events)? else {
        return Ok((None, None));
    };
    if campaign.interrupted() {
        return Ok((Some(learned), None));
    }
    // What follows is only about how good it is.
    setting.weights(&learned, None).write(&setting.output, &setting.names)?;
    let closing = closing::compare(args, setting, &learned, campaign, progress)?;
    Ok((Some(learned), closing))
}

fn check_writable(file: &Path) -> anyhow::Result<()> {
    let existed = file.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .with_context(|| format!("cannot write {}", file.display()))?;
    if !existed {
        // An empty file would look like a result.
        std::fs::remove_file(file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    Ok(())
}
