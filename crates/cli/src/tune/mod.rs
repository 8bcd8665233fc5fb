//! `forkwise tune`: tests a program without a single option being chosen by hand (docs/tuning.md). Each run of the engine is a
//! child process with its own parameters; what they find decides about the parameters of the next ones.
//!
//! `options` says what is tuned, `session` is one campaign, `judge` says what tests are worth, `ledger` is what was learnt on
//! disk, `log` and `report` are what users see. The learning itself is `forkwise_tune`, which knows nothing of this.

mod judge;
mod ledger;
mod log;
mod options;
mod report;
mod session;

pub use options::TuneArgs;

use crate::app::{BUGS, CLEAN};
use crate::campaign::progress::{Figures, Progress};
use crate::{console, signals};
use anyhow::{Context, bail};
use forkwise_testcase::atomic_write;
use forkwise_tune::{Schedule, Space};
use options::{BudgetUse, Tuned};
use serde_json::{Value, json};
use session::{Order, Session};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The verb.
pub fn main(args: &TuneArgs) -> anyhow::Result<u8> {
    args.check()?;
    let native = crate::input::is_elf(&args.run.args.file());
    let tuned = args.tuned(native, session::memory_of_a_run(args.jobs()))?;
    let folder = match &args.dir {
        Some(folder) => folder.clone(),
        None => {
            let name = args.run.args.file();
            PathBuf::from(format!("forkwise-tune-{}", name.file_name().unwrap_or_default().to_string_lossy()))
        }
    };
    if let Some(file) = &args.save {
        // An unwritable file is found before hours of work, not after them.
        std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(file)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let interrupt = signals::interrupt_flag()?;
    let mut progress = Progress::new(args.run.args.quiet);
    progress.figures().memory_limit = session::memory_of_a_run(args.jobs()).map(|m| m * args.jobs() as u64);
    let told = &mut progress;
    let object = if args.importance {
        importance(args, &tuned, &folder, told, &interrupt)
    } else {
        match args.budget_use {
            BudgetUse::Rounds => {
                campaign(args, &tuned, &folder, args.schedule(args.time()), None, told, &interrupt)
            }
            BudgetUse::Once => campaign(args, &tuned, &folder, once(args.time()), None, told, &interrupt),
            BudgetUse::Both => both(args, &tuned, &folder, told, &interrupt),
        }
    };
    progress.clear();
    let object = object?;
    if args.run.args.json {
        console::out(format!("{object}\n"))?;
    } else if !args.run.args.quiet {
        console::out(match object["parameters"].is_array() {
            true => importance_text(&object),
            false => report::text(args, &object),
        })?;
    }
    let found = object["bugs"].as_array().is_some_and(|b| !b.is_empty());
    Ok(if found { BUGS } else { CLEAN })
}

/// One run for everything.
fn once(total: Duration) -> Schedule {
    Schedule { portion: 1.0, floor: total, ..Schedule::new(total) }
}

/// One campaign, and its object. `only`: the parameter that is tuned alone.
fn campaign(
    args: &TuneArgs,
    tuned: &Tuned,
    folder: &Path,
    schedule: Schedule,
    only: Option<usize>,
    progress: &mut Progress,
    interrupt: &Arc<AtomicBool>,
) -> anyhow::Result<Value> {
    let space: Space = match only {
        Some(i) => tuned.space.only(i),
        None => tuned.space.clone(),
    };
    let order = Order { folder, schedule, tuned, space };
    let mut session = Session::open(args, order, Arc::clone(interrupt))?;
    if !session.entries.is_empty() {
        let text = format!("going on after {} runs and {:.0} s", session.entries.len(), session.elapsed());
        progress.say(&text, true);
    }
    progress.begin(Figures {
        limit: Some(session.time()),
        spent: Duration::from_secs_f64(session.elapsed()),
        hint: "larger inputs or seeds may help (docs/tuning.md)",
        ..Figures::default()
    });
    let result = session.run(&mut |session, entry| tell(progress, session, entry));
    // What was found so far is told in any case.
    let object = report::object(args, &session, &tuned.defaults);
    atomic_write(&folder.join("summary.json"), format!("{object:#}\n").as_bytes())?;
    let config = report::config(&session, &tuned.defaults);
    let comment = format!("by forkwise tune --policy {} for {}", args.policy, args.run.args.file().display());
    let text = config.to_toml(&comment)?;
    for file in [Some(&folder.join("best.toml")), args.save.as_ref()].into_iter().flatten() {
        atomic_write(file, text.as_bytes())?;
    }
    result?;
    if session.entries.is_empty() && !session.interrupted() {
        bail!("the time was too short for a single run; give more with --time");
    }
    Ok(object)
}

/// What everybody may see of a session: a finished run, or only that time passes.
fn tell(progress: &mut Progress, session: &Session<'_>, entry: Option<&ledger::Entry>) {
    let data = &session.tuner.data;
    let figures = progress.figures();
    figures.done = session.entries.len() + usize::from(entry.is_some());
    figures.tried = figures.done;
    figures.running = session.running();
    figures.branches = (data.branches(), 0);
    figures.bugs = data.bugs().len();
    let last = session.entries.iter().map(|e| e.gain.all).chain(entry.map(|e| e.gain.all));
    figures.best = format!("best run {}", last.max().unwrap_or(0));
    if let Some((how, parameters)) = session.newest() {
        figures.doing = how.to_string();
        figures.detail = parameters;
    }
    match entry {
        Some(entry) => {
            if is_trouble(entry) {
                figures.fail(&entry.end);
            }
            progress.say(&progress_line(session, entry), is_trouble(entry));
        }
        None => progress.tick(|| {
            format!(
                "{} runs finished, {} running; all {}, {} bugs",
                session.entries.len(),
                session.running(),
                data.branches(),
                data.bugs().len()
            )
        }),
    }
}

fn is_trouble(entry: &ledger::Entry) -> bool {
    !matches!(entry.end.as_str(), "time" | "complete" | "executions" | "memory")
}

fn progress_line(session: &Session<'_>, entry: &ledger::Entry) -> String {
    let data = &session.tuner.data;
    let mut line = format!(
        "{:.0} s: run {} ({}): {} branches, {} new; all {}, {} bugs",
        entry.at,
        entry.run.number + 1,
        entry.run.proposal.how.name(),
        entry.gain.all,
        entry.gain.new,
        data.branches(),
        data.bugs().len(),
    );
    if is_trouble(entry) {
        let _ = write!(line, " ({})", entry.end.lines().next().unwrap_or(""));
    }
    line
}

/// Both ways of using the time, each with all of it; the better one counts.
fn both(
    args: &TuneArgs,
    tuned: &Tuned,
    folder: &Path,
    progress: &mut Progress,
    interrupt: &Arc<AtomicBool>,
) -> anyhow::Result<Value> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let time = args.time();
    let mut results = Vec::new();
    for (name, schedule) in [("once", once(time)), ("rounds", args.schedule(time))] {
        let mut object = campaign(args, tuned, &folder.join(name), schedule, None, progress, interrupt)?;
        object["budget_use"] = name.into();
        results.push(object);
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    let branches = |o: &Value| o["coverage"]["branches"].as_u64().unwrap_or(0);
    let all: Vec<Value> = results
        .iter()
        .map(|o| json!({"budget_use": o["budget_use"], "branches": branches(o), "bugs": o["bugs"]}))
        .collect();
    // The first of equals.
    let best = (0..results.len()).max_by_key(|i| (branches(&results[*i]), std::cmp::Reverse(*i)));
    let mut object = best.map(|i| results.swap_remove(i)).unwrap_or_default();
    object["both"] = all.into();
    atomic_write(&folder.join("summary.json"), format!("{object:#}\n").as_bytes())?;
    Ok(object)
}

/// One parameter at a time, each with its part of the time.
fn importance(
    args: &TuneArgs,
    tuned: &Tuned,
    folder: &Path,
    progress: &mut Progress,
    interrupt: &Arc<AtomicBool>,
) -> anyhow::Result<Value> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let number = tuned.space.parameters.len();
    let part = args.time() / number.max(1) as u32;
    let mut rows: Vec<Value> = Vec::new();
    for (i, parameter) in tuned.space.parameters.iter().enumerate() {
        let stem = forkwise_tune::words::stem(&parameter.name);
        progress.say(&format!("{} of {number}: {}", i + 1, parameter.name), true);
        let place = folder.join(format!("{i:02}-{stem}"));
        let object = campaign(args, tuned, &place, args.schedule(part), Some(i), progress, interrupt)?;
        rows.push(json!({
            "parameter": parameter.name,
            "branches": object["coverage"]["branches"],
            "bugs": object["bugs"].as_array().map_or(0, Vec::len),
            "trials": object["trials"],
        }));
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    rows.sort_by_key(|r| std::cmp::Reverse(r["branches"].as_u64().unwrap_or(0)));
    let mut csv = String::from("parameter,branches,bugs,trials\n");
    for r in &rows {
        let _ = writeln!(
            csv,
            "{},{},{},{}",
            crate::run::csv_cell(r["parameter"].as_str().unwrap_or("")),
            r["branches"],
            r["bugs"],
            r["trials"]
        );
    }
    atomic_write(&folder.join("importance.csv"), csv.as_bytes())?;
    Ok(json!({"program": args.run.args.file().display().to_string(), "policy": args.policy.to_string(),
        "seconds_each": part.as_secs_f64(), "parameters": rows,
        "output": folder.display().to_string()}))
}

fn importance_text(object: &Value) -> String {
    let mut out = format!(
        "branches when one parameter is tuned alone, {:.0} s each:\n",
        object["seconds_each"].as_f64().unwrap_or(0.0)
    );
    for row in object["parameters"].as_array().unwrap_or(&Vec::new()) {
        let _ = writeln!(out, "  {:6}  {}", row["branches"], row["parameter"].as_str().unwrap_or(""));
    }
    let _ = writeln!(out, "results: {}", object["output"].as_str().unwrap_or(""));
    out
}
