//! The options of `forkwise tune`, and what follows from them before anything runs: the space, the policy, the schedule.

use crate::params;
use crate::run::borrowed::Borrowed;
use crate::run::options::{Mode, duration};
use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum, ValueHint};
use forkwise_tune::words::{declares_input, stem};
use forkwise_tune::{Ablation, Kind, Schedule, Space, SpaceFile, Value};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// The time of a campaign if none is given.
const USUAL_TIME: Duration = Duration::from_secs(600);
/// No run is shorter than this, or a sixtieth of the campaign.
const FLOOR: Duration = Duration::from_secs(30);

/// How policies without learning use their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BudgetUse {
    /// Many runs that grow longer, as a tuner has.
    Rounds,
    /// One run for the whole time.
    Once,
    /// One campaign of each, each with the whole time; the better one counts.
    Both,
}

/// Test a program without choosing a single option: parameters are tuned meanwhile.
#[derive(Args, Clone, Debug)]
pub struct TuneArgs {
    /// Who chooses the parameters of each run: auto, symtuner, random, default or hand
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = policy, help_heading = "Tuning")]
    pub policy: Kind,

    /// Runs at the same time; they share what is learnt [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Tuning")]
    pub jobs: Option<NonZeroUsize>,

    /// Folder of the campaign; the same command again goes on where it ended [default: forkwise-tune-PROGRAM]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Tuning")]
    pub dir: Option<PathBuf>,

    /// Write the best settings to this file, for `run --config`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Tuning")]
    pub save: Option<PathBuf>,

    /// Parameters and values from a space file instead of the engine's (`forkwise params --space` prints those)
    #[arg(long, value_name = "JSON", value_hint = ValueHint::FilePath, help_heading = "Tuning")]
    pub space: Option<PathBuf>,

    /// Another value of --search, such as learned:FILE (may be repeated)
    #[arg(long, value_name = "NAME", help_heading = "Tuning")]
    pub with_search: Vec<String>,

    /// Tune one parameter at a time, each with its part of the time, and compare
    #[arg(long, help_heading = "Tuning")]
    pub importance: bool,

    /// How --policy default and hand use their time
    #[arg(long, value_name = "HOW", value_enum, default_value_t = BudgetUse::Rounds, help_heading = "Tuning")]
    pub budget_use: BudgetUse,

    /// Do without a part of --policy auto: marginal, decay, stretch, mutate, start, prior or corpus (may be repeated)
    #[arg(long, value_name = "PART", help_heading = "Tuning")]
    pub ablate: Vec<String>,

    /// The share of the time that the first runs get
    #[arg(long, value_name = "SHARE", default_value_t = 0.005, help_heading = "Tuning")]
    pub portion: f64,

    /// The least time of a run [default: 30s, or a sixtieth of the time]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Tuning")]
    pub min_run: Option<Duration>,

    /// Runs of a round; afterwards runs are twice as long
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Tuning")]
    pub step: NonZeroUsize,

    /// Tests that runs may begin with
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Tuning")]
    pub seeds: usize,

    /// The probability of exploiting what was learnt (--policy symtuner)
    #[arg(long, value_name = "P", default_value_t = 0.7, help_heading = "Tuning")]
    pub exploit: f64,

    #[command(flatten)]
    pub run: Borrowed,
}

fn policy(text: &str) -> Result<Kind, String> {
    text.parse()
}

/// Options of `run` that mean nothing here, and why.
const REFUSED: [(&str, &str); 12] = [
    ("output", "the campaign has a folder: --dir"),
    ("all-tests", "tests that cover nothing new are not kept"),
    ("new-tests", "that is always so"),
    ("no-tests", "tests are what is learnt from"),
    ("max-tests", "runs end with their time"),
    ("max-instructions", "runs end with their time"),
    ("executions", "runs end with their time; in concolic testing this is tuned"),
    ("input", "runs begin with the best tests"),
    ("strict", "a campaign is never complete"),
    ("log-queries", "all runs would write to one file"),
    ("replay-all", "every test that is new is run natively"),
    ("no-replay", "native runs say what a test is worth"),
];

/// Options that runs do not get as they were written.
pub const OURS: [&str; 6] = ["time", "seed", "json", "quiet", "mode", "config"];

/// What is tuned, and what every run gets besides.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// What is tuned.
    pub space: Space,
    /// What every run gets.
    pub defaults: Vec<(String, Value)>,
    /// Parts of `auto` that are taken away.
    pub ablation: Ablation,
    /// Does `auto` offer the best tests together as seeds?
    pub corpus: bool,
}

impl TuneArgs {
    /// Finds what is wrong with the options.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.run.args.file().as_os_str().is_empty() {
            bail!("name the program, after the options: forkwise tune --time 10m PROGRAM");
        }
        if let Some((option, why)) = REFUSED.iter().find(|(option, _)| self.run.is_given(option)) {
            bail!("--{option} has no meaning in tuning: {why}; leave it out");
        }
        if !(0.0..=1.0).contains(&self.exploit) || !(0.0..=1.0).contains(&self.portion) {
            bail!("--exploit and --portion are shares between 0 and 1");
        }
        if !self.ablate.is_empty() && self.policy != Kind::Auto {
            bail!("--ablate takes parts of --policy auto away; there are none in {}", self.policy);
        }
        let fixed = matches!(self.policy, Kind::Default | Kind::Hand);
        if self.budget_use != BudgetUse::Rounds && !fixed {
            bail!("--budget-use is for --policy default and hand, which learn nothing");
        }
        if self.importance && fixed {
            bail!("--importance tunes one parameter at a time; --policy {} tunes none", self.policy);
        }
        Ok(())
    }

    /// The time of the campaign.
    pub fn time(&self) -> Duration {
        self.run.args.time.unwrap_or(USUAL_TIME)
    }

    /// Runs at the same time.
    pub fn jobs(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or(cores, NonZeroUsize::get)
    }

    /// How long runs are in a campaign of this time.
    pub fn schedule(&self, total: Duration) -> Schedule {
        let floor = self.min_run.unwrap_or_else(|| FLOOR.min(total / 60).max(Duration::from_secs(1)));
        Schedule { portion: self.portion, floor, step: self.step.get(), ..Schedule::new(total) }
    }

    /// What is tuned. `native`: branches are counted by the native program, whatever the engine does to its copy.
    pub fn tuned(&self, native: bool, memory: Option<u64>) -> anyhow::Result<Tuned> {
        let mode = self.run.args.mode;
        let inputs = self.run.args.args().is_empty() && !self.run.args.concrete;
        let mut ablation = Ablation::default();
        let mut corpus = true;
        for part in self.ablate.iter().flat_map(|p| p.split(',')) {
            match part {
                "corpus" => corpus = false,
                part => ablation = ablation.without(part).map_err(|e| anyhow!("{e}, corpus"))?,
            }
        }
        let (mut space, mut defaults) = match &self.space {
            None => (params::space(mode, inputs, native), Vec::new()),
            Some(path) => {
                let file = read_space(path)?;
                (file.space, file.defaults)
            }
        };
        match self.policy {
            Kind::Hand => {
                space.parameters.clear();
                defaults = params::by_hand(mode, inputs, native);
            }
            Kind::Default => {
                space.parameters.clear();
                defaults.clear();
            }
            _ => {}
        }
        // What the user says is not tuned.
        space
            .parameters
            .retain(|p| !self.run.is_given(stem(&p.name)) && (inputs || !declares_input(&p.name)));
        defaults.retain(|(name, _)| !self.run.is_given(stem(name)) && (inputs || !declares_input(name)));
        if let Some(i) = space.find(params::SEARCH) {
            space.parameters[i].values.extend(self.with_search.iter().cloned().map(Some));
        } else if !self.with_search.is_empty() {
            bail!("--with-search adds values to --search, which is not tuned here");
        }
        if self.policy == Kind::Auto {
            params::optional(&mut space);
        }
        if let (Some(i), Some(memory)) = (space.find("--max-memory"), memory) {
            fit_memory(&mut space.parameters[i].values, memory >> 20);
        }
        let learns = !matches!(self.policy, Kind::Default | Kind::Hand);
        if learns && space.parameters.is_empty() {
            bail!("nothing is left to be tuned; leave out some options, or take --policy default");
        }
        Ok(Tuned { space, defaults, ablation, corpus })
    }

    /// The mode of the engine.
    pub fn mode(&self) -> Mode {
        self.run.args.mode
    }
}

/// Values above what a run may have make it be killed; the smallest stays in any case.
fn fit_memory(values: &mut Vec<Value>, megabytes: u64) {
    let number = |v: &Value| v.as_deref().and_then(|t| t.parse::<u64>().ok());
    let least = values.iter().filter_map(number).min();
    values.retain(|v| number(v).is_none_or(|n| n <= megabytes || Some(n) == least));
}

/// Reads a space file of options of `run`.
fn read_space(path: &PathBuf) -> anyhow::Result<SpaceFile> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file = SpaceFile::parse(&text).with_context(|| format!("{}", path.display()))?;
    let known = params::all();
    let names = file.space.parameters.iter().map(|p| &p.name).chain(file.defaults.iter().map(|d| &d.0));
    for name in names {
        let is_known = declares_input(name) || known.iter().any(|p| stem(&p.name) == stem(name));
        if !is_known {
            bail!(
                "{}: '{name}' is no parameter of this engine (`forkwise params` lists them; \
                 `forkwise symtuner` reads files for KLEE)",
                path.display()
            );
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shared() {
        let mut values: Vec<Value> = ["500", "1000", "2500"].map(|v| Some(v.to_string())).to_vec();
        fit_memory(&mut values, 1200);
        assert_eq!(values.len(), 2);
        fit_memory(&mut values, 100);
        assert_eq!(values, [Some("500".into())]);
    }
}
