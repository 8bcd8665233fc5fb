//! What is to be compared: the names after `--search`, each with its mode, checked before anything runs.

use crate::run::options::{Mode, RunArgs};
use crate::run::plan::Plan;
use anyhow::{Context, bail};

/// A heuristic of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heuristic {
    /// As the user wrote it.
    pub name: String,
    /// Its mode.
    pub mode: Mode,
    /// What a run's `--search` is.
    pub search: String,
}

/// The heuristics that the options name: `NAME`, `NAME+NAME` (in turn), `explore:NAME`, `concolic:NAME`.
/// Beside them what the user should know.
pub fn parse(args: &RunArgs) -> anyhow::Result<(Vec<Heuristic>, Vec<String>)> {
    let mut out: Vec<Heuristic> = Vec::new();
    let mut notes = Vec::new();
    for name in args.search.iter().flat_map(|n| n.split(',')).map(str::trim).filter(|n| !n.is_empty()) {
        let (mode, rest) = match (name.strip_prefix("explore:"), name.strip_prefix("concolic:")) {
            (Some(rest), _) => (Mode::Explore, rest),
            (_, Some(rest)) => (Mode::Concolic, rest),
            _ => (args.mode, name),
        };
        // A file's name may have a plus in it.
        let search = match rest.contains("param:") || rest.contains("learned:") {
            true => rest.to_string(),
            false => rest.replace('+', ","),
        };
        let heuristic = Heuristic { name: name.to_string(), mode, search };
        if out.iter().any(|h| (h.mode, &h.search) == (heuristic.mode, &heuristic.search)) {
            bail!("--search names {name} twice; name each heuristic once");
        }
        notes.extend(check(args, &heuristic)?);
        out.push(heuristic);
    }
    if out.is_empty() {
        let forgotten = args.misplaced().iter().any(|w| w.starts_with("--search"));
        let where_to = if forgotten { ", before the program" } else { "" };
        bail!(
            "name what to compare{where_to}: --search dfs,random-path or --search explore:dfs,concolic:cfds"
        );
    }
    Ok((out, notes))
}

/// The error that a trial would end with, or what it would say.
fn check(args: &RunArgs, heuristic: &Heuristic) -> anyhow::Result<Vec<String>> {
    let mut own = args.clone();
    own.mode = heuristic.mode;
    own.search = vec![heuristic.search.clone()];
    // What is for the other mode goes to the other mode's heuristics.
    match heuristic.mode {
        Mode::Explore => {
            (own.executions, own.input, own.no_snapshots) = (None, None, false);
        }
        Mode::Concolic => (own.batch_instructions, own.slice_instructions) = (None, None),
    }
    let (_, notes) = Plan::new(&own).with_context(|| format!("--search {}", heuristic.name))?;
    Ok(notes)
}
