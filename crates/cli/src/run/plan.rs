//! What the options say about mode and search, checked: which engine runs, and who chooses in it.

use super::options::{Mode, RunArgs};
use super::weights;
use anyhow::{anyhow, bail};
use forkwise_concolic::heuristic::Parametric;
use forkwise_concolic::{Heuristic, Kind, Options, features};
use forkwise_explore::{FrontierWeights, Random, Search, Slice, Strategy, Weights};
use forkwise_ir::Program;
use forkwise_learn::weights as learn;
use std::sync::Arc;

/// Who chooses what runs next.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Among states.
    Explore(Search),
    /// Among branches of paths.
    Concolic(Chooser, Options),
}

/// Who chooses the branch to negate.
#[derive(Clone, Debug)]
pub enum Chooser {
    /// A heuristic by name.
    Named(Kind),
    /// The highest sum of weights of features, and its name.
    Parametric(Box<[f64; features::COUNT]>, String),
}

impl Chooser {
    /// The heuristic.
    pub fn build(&self, program: &Program, random: &mut Random) -> Box<dyn Heuristic> {
        match self {
            Chooser::Named(kind) => kind.build(program, random),
            Chooser::Parametric(weights, _) => Box::new(Parametric::new(**weights)),
        }
    }
}

/// What may be said instead of the names that an error lists.
const FROM_FILES: &str = "param:FILE, learned:FILE";

impl Plan {
    /// The plan of a run, and what the user should know of it. An error is the user's.
    pub fn new(args: &RunArgs) -> anyhow::Result<(Plan, Vec<String>)> {
        let mut notes = Vec::new();
        let plan = match args.mode {
            Mode::Explore => explore(args, &mut notes)?,
            Mode::Concolic => concolic(args, &mut notes)?,
        };
        Ok((plan, notes))
    }
}

fn explore(args: &RunArgs, notes: &mut Vec<String>) -> anyhow::Result<Plan> {
    for (given, option) in [
        (args.executions.is_some(), "--executions"),
        (args.input.is_some(), "--input"),
        (args.no_snapshots, "--no-snapshots"),
    ] {
        if given {
            bail!("{option} is for concolic testing; add --mode concolic or leave it out");
        }
    }
    let mut strategies = Vec::new();
    for name in args.search.iter().flat_map(|n| n.split(',')).map(str::trim).filter(|n| !n.is_empty()) {
        let strategy = match weights::of_search(name, learn::Mode::Explore, &args.file())? {
            Some((read, note)) => {
                notes.extend(note);
                parametric(name, &read)?
            }
            None => name.parse().map_err(|e| anyhow!("{e}, {FROM_FILES}"))?,
        };
        strategies.push(strategy);
    }
    if strategies.is_empty() {
        strategies = match args.search.is_empty() {
            true => vec![Strategy::Frontier],
            false => Search::usual(),
        };
    }
    if args.slice_instructions == Some(0) {
        bail!("--slice-instructions 0 lets no path run; give a number above 0");
    }
    Ok(Plan::Explore(Search {
        strategies,
        batch_instructions: args.batch_instructions,
        batch_time: None,
        slice: args.slice_instructions.map(Slice::Instructions),
        lazy: args.tunable.lazy_siblings,
    }))
}

/// The search of a weight file.
fn parametric(name: &str, read: &learn::Weights) -> anyhow::Result<Strategy> {
    let name = name.into();
    Ok(match read.family {
        learn::Family::Frontier => {
            Strategy::LearnedFrontier(FrontierWeights { name, weights: Arc::new(weights::array(read)?) })
        }
        _ => Strategy::Parametric(Weights { name, weights: Arc::new(weights::array(read)?) }),
    })
}

fn concolic(args: &RunArgs, notes: &mut Vec<String>) -> anyhow::Result<Plan> {
    for (given, option) in [
        (args.batch_instructions.is_some(), "--batch-instructions"),
        (args.slice_instructions.is_some(), "--slice-instructions"),
    ] {
        if given {
            bail!("{option} has no meaning in concolic testing: a path runs to its end; leave it out");
        }
    }
    let chooser = match &args.search[..] {
        [] => Chooser::Named(Kind::Generational),
        [name] => match weights::of_search(name, learn::Mode::Concolic, &args.file())? {
            Some((read, note)) => {
                notes.extend(note);
                Chooser::Parametric(Box::new(weights::array(&read)?), name.clone())
            }
            None => Chooser::Named(name.parse().map_err(|e| anyhow!("{e}, {FROM_FILES}"))?),
        },
        _ => bail!("concolic testing takes one --search"),
    };
    let mut options =
        Options { executions: args.executions, snapshots: !args.no_snapshots, ..Options::default() };
    if args.max_path_instructions != 0 {
        options.instructions = args.max_path_instructions;
    }
    Ok(Plan::Concolic(chooser, options))
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Plan::Explore(search) => search.fmt(f),
            Plan::Concolic(Chooser::Named(kind), _) => kind.fmt(f),
            Plan::Concolic(Chooser::Parametric(_, name), _) => name.fmt(f),
        }
    }
}
