//! What the options say about mode and search, checked: which engine runs, and who chooses in it.

use super::options::{Mode, RunArgs};
use anyhow::{anyhow, bail};
use forkwise_concolic::{Kind, Options};
use forkwise_explore::{Search, Strategy};

/// Who chooses what runs next.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Among states.
    Explore(Search),
    /// Among branches of paths.
    Concolic(Kind, Options),
}

impl Plan {
    /// The plan of a run. An error is the user's.
    pub fn new(args: &RunArgs) -> anyhow::Result<Plan> {
        match args.mode {
            Mode::Explore => {
                for (given, option) in [
                    (args.executions.is_some(), "--executions"),
                    (args.input.is_some(), "--input"),
                    (args.no_snapshots, "--no-snapshots"),
                ] {
                    if given {
                        bail!("{option} is for concolic testing; add --mode concolic or leave it out");
                    }
                }
                let mut search = match args.search.is_empty() {
                    true => Search { strategies: vec![Strategy::Frontier], ..Search::default() },
                    false => Search::parse(&args.search)?,
                };
                search.batch_instructions = args.batch_instructions;
                Ok(Plan::Explore(search))
            }
            Mode::Concolic => {
                if args.batch_instructions.is_some() {
                    bail!("--batch-instructions has no meaning in concolic testing: a path runs to its end");
                }
                let kind = match &args.search[..] {
                    [] => Kind::Generational,
                    [one] => one.parse().map_err(|e| anyhow!("{e}"))?,
                    _ => bail!("concolic testing takes one --search"),
                };
                let mut options = Options {
                    executions: args.executions,
                    snapshots: !args.no_snapshots,
                    ..Options::default()
                };
                if args.max_path_instructions != 0 {
                    options.instructions = args.max_path_instructions;
                }
                Ok(Plan::Concolic(kind, options))
            }
        }
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Plan::Explore(search) => search.fmt(f),
            Plan::Concolic(kind, _) => kind.fmt(f),
        }
    }
}
