//! The options of `forkwise train`: those of `run` that make sense for its trials, and its own. Nothing is decided here.

use crate::run::borrowed::Borrowed;
use crate::run::options::duration;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};
use forkwise_campaign::Budget;
use forkwise_learn::optimizer::Kind;
use forkwise_learn::weights::Family;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

/// Learn a search heuristic for a program.
#[derive(Args, Clone, Debug)]
pub struct TrainArgs {
    /// Time for everything: learning, and comparing what was learned (30m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Learning")]
    pub budget: Option<Duration>,

    /// Learn from this many trials instead of for a time
    #[arg(long, value_name = "N", conflicts_with = "budget", help_heading = "Learning")]
    pub trials: Option<NonZeroU32>,

    /// Time of a trial [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Learning")]
    pub trial: Option<Duration>,

    /// A trial ends after this many instructions: trials repeat exactly
    #[arg(long, value_name = "N", help_heading = "Learning")]
    pub trial_instructions: Option<NonZeroU64>,

    /// A trial of concolic testing ends after this many executions: trials repeat exactly
    #[arg(long, value_name = "N", help_heading = "Learning")]
    pub trial_executions: Option<NonZeroU64>,

    /// Trials at the same time [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    pub jobs: Option<NonZeroU32>,

    /// Which weights to learn with --mode egt: frontier (the constants of that search) or states (26 features of states)
    /// [default: frontier]
    #[arg(long, value_name = "NAME", value_parser = family, help_heading = "Learning")]
    pub family: Option<Family>,

    /// How to look for weights: refine, random or racing
    #[arg(long, value_name = "NAME", default_value = "refine", value_parser = optimizer, help_heading = "Learning")]
    pub optimizer: Kind,

    /// Vectors of weights that a round samples [default: by the budget, at most 1000]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    pub samples: Option<NonZeroU32>,

    /// The best of them that are looked at again [default: by the budget, at most 10]
    #[arg(long, value_name = "K", help_heading = "Learning")]
    pub keep: Option<NonZeroU32>,

    /// Trials of each of those [default: by the budget, 3 to 10]
    #[arg(long, value_name = "T", help_heading = "Learning")]
    pub repeats: Option<NonZeroU32>,

    /// Stop after this many rounds [default: when a round is not better than the one before]
    #[arg(long, value_name = "N", help_heading = "Learning")]
    pub rounds: Option<NonZeroU32>,

    /// Do not spend what is left of the budget on choosing among the best of all rounds: the algorithm as it was published
    #[arg(long, help_heading = "Learning")]
    pub no_confirm: bool,

    /// Seeds of the closing comparison; 0: none [default: by the budget, 6 to 20]
    #[arg(long, value_name = "N", help_heading = "Comparison")]
    pub final_seeds: Option<u32>,

    /// Heuristics to compare with [default: all of the mode]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = "Comparison")]
    pub against: Vec<String>,

    /// Run the best hand-made heuristic for as many trials as learning took, too, and compare all that they covered (this
    /// takes as long again, beyond --budget)
    #[arg(long, help_heading = "Comparison")]
    pub same_time: bool,

    /// The folder of the campaign; the same command goes on where it was interrupted [default: PROGRAM.MODE.campaign]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Results")]
    pub dir: Option<PathBuf>,

    /// Write a row for each trial to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Results")]
    pub csv: Option<PathBuf>,

    #[command(flatten)]
    pub run: TrialOptions,
}

impl TrainArgs {
    /// When a trial ends.
    pub fn trial_budget(&self) -> Budget {
        let fixed = self.trial_instructions.is_some() || self.trial_executions.is_some();
        let time = self.trial.or((!fixed).then_some(Duration::from_secs(10)));
        Budget {
            milliseconds: time.map(|t| t.as_millis() as u64),
            instructions: self.trial_instructions.map(NonZeroU64::get),
            executions: self.trial_executions.map(NonZeroU64::get),
        }
    }
}

fn family(name: &str) -> Result<Family, String> {
    let usable = [Family::Frontier, Family::States];
    let names = usable.map(Family::name).join(", ");
    usable.into_iter().find(|f| f.name() == name).ok_or_else(|| format!("there are {names}"))
}

fn optimizer(name: &str) -> Result<Kind, String> {
    let names = Kind::ALL.map(Kind::name).join(", ");
    Kind::ALL.into_iter().find(|k| k.name() == name).ok_or_else(|| format!("there are {names}"))
}

/// Options of `run` that mean nothing here, and what to do instead.
pub const REFUSED: [(&str, &str); 12] = [
    ("search", "the search is what is learned; --against names what to compare with"),
    ("time", "--trial is the time of a trial, --budget that of everything"),
    ("max-instructions", "a trial's instructions are --trial-instructions"),
    ("executions", "a trial's executions are --trial-executions"),
    ("no-tests", "tests that cover something new are kept"),
    ("new-tests", "only such tests are kept"),
    ("all-tests", "only tests that cover something new are kept"),
    ("no-replay", "trials are not run natively; `forkwise replay` runs what they found"),
    ("replay-all", "trials are not run natively; `forkwise replay` runs what they found"),
    ("strict", "trials end with their budget"),
    ("log-queries", "all trials would write to one file"),
    ("max-tests", "trials end with their budget"),
];

/// The options of `run`; what is refused is not in the help, and `-o` is the file of the weights.
#[derive(Clone, Debug)]
pub struct TrialOptions(pub Borrowed);

impl FromArgMatches for TrialOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TrialOptions, Error> {
        Borrowed::from_arg_matches(matches).map(TrialOptions)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Args for TrialOptions {
    fn augment_args(command: Command) -> Command {
        let command = Borrowed::augment_args(command).mut_arg("output", |arg| {
            arg.value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("File for the learned weights [default: PROGRAM.heuristic.toml]")
        });
        let command = command.mut_arg("json", |arg| {
            arg.help("Print what happens as JSON, an object a line; the last is the result")
        });
        REFUSED
            .iter()
            .fold(command, |command, (name, _)| command.mut_arg(name.replace('-', "_"), |arg| arg.hide(true)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        TrialOptions::augment_args(command)
    }
}
