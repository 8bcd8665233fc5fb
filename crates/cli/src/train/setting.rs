//! What the options of a training mean: which trials there are, how many evaluations go where, what is written where. Everything
//! that decides about the result is fixed in the campaign's store, so that one campaign never becomes two.

use super::closing::Closing;
use super::learning::Learned;
use super::options::TrainArgs;
use crate::campaign::{Search, Template};
use crate::compare::heuristics::{self, Heuristic};
use crate::run::options::Mode;
use crate::run::weights::{names, plain};
use anyhow::{Context, bail};
use forkwise_campaign::{Budget, Store};
use forkwise_concolic::Kind;
use forkwise_explore::Strategy;
use forkwise_learn::optimizer::{Plan, Rated};
use forkwise_learn::weights::{Family, Weights};
use std::path::PathBuf;
use std::time::Duration;

/// The share of the budget that the closing comparison should not exceed.
const CLOSING: f64 = 0.3;
/// Seeds of the closing comparison: fewer say nothing, more say little.
const SEEDS: (u32, u32) = (6, 20);
/// What a trial takes beyond its time: starting, loading, writing.
const BEYOND: f64 = 0.5;
/// What a trial is taken to last whose budget is no time.
const USUAL_TRIAL: f64 = 10.0;

/// See the module text.
pub struct Setting {
    /// The program's plain name.
    pub program: String,
    /// The mode.
    pub mode: Mode,
    /// Whose weights are learned.
    pub family: Family,
    /// Names of its features.
    pub names: Vec<&'static str>,
    /// What all trials have in common; without memory until the campaign is open.
    pub template: Template,
    /// When a trial ends.
    pub trial: Budget,
    /// How evaluations are spent.
    pub plan: Plan,
    /// Time for learning.
    pub time: Option<Duration>,
    /// Evaluations for learning.
    pub evaluations: Option<u32>,
    /// The seed.
    pub seed: u64,
    /// Seeds of the closing comparison.
    pub seeds: Vec<u64>,
    /// Whom to compare with.
    pub against: Vec<Heuristic>,
    /// The folder of the campaign.
    pub folder: PathBuf,
    /// The file of the weights.
    pub output: PathBuf,
}

impl Setting {
    /// From the options. An error is the user's.
    pub fn new(args: &TrainArgs, jobs: usize) -> anyhow::Result<Setting> {
        let borrowed = &args.run.0;
        let run = &borrowed.args;
        let trial = args.trial_budget();
        if trial.executions.is_some() && run.mode == Mode::Explore {
            bail!(
                "--trial-executions is for concolic testing; add --mode concolic, or give --trial-instructions"
            );
        }
        if args.budget.is_none() && args.trials.is_none() {
            bail!("say how long to learn: --budget 1h, or --trials N");
        }
        let family = match (run.mode, args.family) {
            (Mode::Explore, family) => family.unwrap_or(Family::Frontier),
            (Mode::Concolic, None) => Family::Branches,
            (Mode::Concolic, Some(_)) => {
                bail!("--family is for --mode egt; concolic testing has one kind of weights")
            }
        };
        let against = against(args)?;
        let lasts = trial.duration().map_or(USUAL_TRIAL, |t| t.as_secs_f64()) + BEYOND;
        // Trials that fit into the budget.
        let fit = args.budget.map(|b| b.as_secs_f64() * jobs as f64 / lasts);
        let each = against.len() as f64 + 1.0;
        let seeds = args.final_seeds.unwrap_or_else(|| match fit {
            Some(fit) => ((fit * CLOSING / each) as u32).clamp(SEEDS.0, SEEDS.1),
            None => SEEDS.0,
        });
        let closing = Duration::from_secs_f64(f64::from(seeds) * each * lasts / jobs as f64);
        // However many heuristics there are to compare with, half of the time is for learning.
        let time = args.budget.map(|b| b.saturating_sub(closing).max(b / 2));
        let evaluations = match (args.trials, time) {
            (Some(n), _) => n.get() as usize,
            (_, Some(time)) => (time.as_secs_f64() * jobs as f64 / lasts) as usize,
            _ => 0,
        };
        let mut plan = Plan::for_evaluations(args.optimizer, evaluations);
        plan.samples = args.samples.map_or(plan.samples, |n| n.get() as usize);
        plan.keep = args.keep.map_or(plan.keep, |n| n.get() as usize);
        plan.repeats = args.repeats.map_or(plan.repeats, |n| n.get() as usize);
        plan.rounds = args.rounds.map(|n| n.get() as usize).or(plan.rounds);
        plan.confirm = !args.no_confirm;
        let program = plain(&run.file());
        let folder = format!("{program}.{}.campaign", run.mode.name());
        Ok(Setting {
            mode: run.mode,
            family,
            names: names(family),
            template: Template::new(borrowed, run.mode, 0, true)?,
            trial,
            plan,
            time,
            evaluations: args.trials.map(|n| n.get()),
            seed: run.seed,
            seeds: (1..=u64::from(seeds)).map(|i| run.seed.wrapping_add(i)).collect(),
            against,
            folder: args.dir.clone().unwrap_or_else(|| folder.into()),
            output: run.output.clone().unwrap_or_else(|| format!("{program}.heuristic.toml").into()),
            program,
        })
    }

    /// The same, with the memory of a trial.
    pub fn with_memory(self, args: &TrainArgs, memory: u64) -> anyhow::Result<Setting> {
        Ok(Setting { template: Template::new(&args.run.0, self.mode, memory, true)?, ..self })
    }

    /// Fixes what decides about the result.
    pub fn fix(&self, store: &mut Store) -> anyhow::Result<()> {
        let Plan { kind, samples, keep, repeats, rounds, rungs, confirm } = &self.plan;
        let rounds = rounds.map_or("any number of".to_string(), |n| n.to_string());
        let learning = format!(
            "{kind}, {rounds} rounds of {samples} vectors, {keep} of them {repeats} times, {rungs} rungs"
        );
        let learning = if *confirm { learning } else { format!("{learning}, nothing confirmed") };
        let learning = match self.family.is_usual() {
            true => learning,
            false => format!("{learning}, {}", self.family),
        };
        store.fix_setting("the verb", "train")?;
        store.fix_setting("the program", self.template.program().hash.as_str())?;
        store.fix_setting("what trials run", &self.template.words())?;
        store.fix_setting("a trial", &self.trial.to_string())?;
        store.fix_setting("learning", &learning)?;
        store.fix_setting("the seed", &self.seed.to_string())?;
        Ok(())
    }

    /// A vector that is known to be good: that of the search that people made, where there is one.
    pub fn known(&self) -> Option<Vec<f64>> {
        (self.family == Family::Frontier).then(|| vec![0.0; self.names.len()])
    }

    /// The search of a vector.
    pub fn search(&self, weights: &[f64]) -> anyhow::Result<Search> {
        let file = Weights {
            program: None,
            mode: Some(self.family.mode()),
            family: self.family,
            values: weights.to_vec(),
            training: None,
        };
        Ok(Search::weights(file.to_toml(&self.names).context("cannot write weights")?))
    }

    /// The file of what was learned.
    pub fn weights(&self, learned: &Learned, closing: Option<&Closing>) -> Weights {
        Weights {
            program: Some(self.program.clone()),
            mode: Some(self.family.mode()),
            family: self.family,
            values: learned.best.weights.clone(),
            training: Some(self.training(learned, closing)),
        }
    }

    fn training(&self, learned: &Learned, closing: Option<&Closing>) -> toml::Table {
        let mut table = toml::Table::new();
        let mut put = |key: &str, value: toml::Value| {
            table.insert(key.to_string(), value);
        };
        let whole = |n: usize| toml::Value::Integer(n as i64);
        let Rated { score, evaluations, .. } = &learned.best;
        put("optimizer", self.plan.kind.name().into());
        put("trial", self.trial.to_string().into());
        put("seed", toml::Value::Integer(self.seed as i64));
        put("trials", whole(learned.evaluations));
        put("rounds", whole(learned.rounds.len()));
        put("samples", whole(self.plan.samples));
        put("keep", whole(self.plan.keep));
        put("repeats", whole(self.plan.repeats));
        put("stopped", learned.stop.into());
        put("mean", toml::Value::Float(*score));
        put("mean-of", whole(*evaluations));
        put("union", whole(learned.union.len()));
        put("branches", whole(learned.total as usize));
        put("bugs", whole(learned.bugs));
        if let Some(closing) = closing {
            put("comparison", closing.to_toml().into());
        }
        table
    }
}

/// The heuristics to compare with, checked as `compare` does.
fn against(args: &TrainArgs) -> anyhow::Result<Vec<Heuristic>> {
    let mut run = args.run.0.args.clone();
    run.search = match (&args.against[..], run.mode) {
        ([], Mode::Explore) => Strategy::names().map(String::from).collect(),
        ([], Mode::Concolic) => Kind::names().map(String::from).collect(),
        (names, _) => names.to_vec(),
    };
    let (list, _) = heuristics::parse(&run)?;
    if let Some(other) = list.iter().find(|h| h.mode != run.mode) {
        bail!("--against {} is of the other mode; `forkwise compare` compares across modes", other.name);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};
    use forkwise_explore::FRONTIER_WEIGHTS;

    fn setting(line: &str, jobs: usize) -> anyhow::Result<Setting> {
        let file = tempfile::Builder::new().suffix(".c").tempfile()?;
        std::fs::write(file.path(), "int main;")?;
        let program = file.path().to_str().unwrap_or_default();
        let words = ["train"].into_iter().chain(line.split_whitespace()).chain([program]);
        let matches = TrainArgs::augment_args(Command::new("train")).try_get_matches_from(words)?;
        Setting::new(&TrainArgs::from_arg_matches(&matches)?, jobs)
    }

    #[test]
    fn a_budget_is_for_learning_and_comparing() {
        let s = setting("--budget 1h --trial 10s", 2).unwrap();
        let seeds = s.seeds.len();
        assert!((10..=20).contains(&seeds), "{seeds}");
        let closing = seeds as f64 * 13.0 * 10.5 / 2.0;
        assert!((s.time.unwrap().as_secs_f64() + closing - 3600.0).abs() < 1.0);
        let (cost, fits) = (s.plan.cost(), s.time.unwrap().as_secs_f64() * 2.0 / 10.5);
        assert!((3.0..5.0).contains(&(fits / cost)), "{cost} {fits}");
        assert_eq!((s.trial.to_string().as_str(), s.names.len()), ("10 s", FRONTIER_WEIGHTS));
    }

    #[test]
    fn at_least_half_of_the_time_is_for_learning() {
        let s = setting("--budget 1m --trial 5s", 1).unwrap();
        assert_eq!((s.time, s.seeds.len()), (Some(Duration::from_secs(30)), 6));
        // Nobody has to compare.
        let s = setting("--budget 1m --trial 5s --final-seeds 0", 1).unwrap();
        assert_eq!((s.time, s.seeds.len()), (Some(Duration::from_secs(60)), 0));
    }

    #[test]
    fn options_go_before_what_the_budget_suggests() {
        let line = "--mode concolic --trials 90 --trial-executions 50 --samples 7 --keep 3 --repeats 2 --rounds 1 --seed 40";
        let s = setting(line, 2).unwrap();
        assert_eq!((s.plan.samples, s.plan.keep, s.plan.repeats, s.plan.rounds), (7, 3, 2, Some(1)));
        assert_eq!((s.time, s.evaluations, s.trial.repeats()), (None, Some(90), true));
        assert_eq!((s.seeds.first(), s.against.len(), s.names.len()), (Some(&41), 6, 40));
        assert!(setting("--trials 5 --budget 1h", 1).is_err());
        assert!(s.known().is_none());
    }

    #[test]
    fn families_are_those_of_the_mode() {
        let s = setting("--trials 5 --family states", 1).unwrap();
        assert_eq!((s.family, s.names.len(), s.known()), (Family::States, 26, None));
        let s = setting("--trials 5", 1).unwrap();
        assert_eq!((s.family, s.known()), (Family::Frontier, Some(vec![0.0; FRONTIER_WEIGHTS])));
        assert!(setting("--trials 5 --family branches", 1).is_err());
        assert!(setting("--mode concolic --trials 5 --family states", 1).is_err());
    }

    #[test]
    fn files_say_how_they_were_learned() {
        let s = setting("--trials 9 --against dfs --family states", 1).unwrap();
        let learned = Learned {
            best: Rated { weights: vec![0.5; 26], score: 12.5, evaluations: 4 },
            rounds: Vec::new(),
            evaluations: 9,
            cost: 9.0,
            stop: "budget",
            union: [1, 2].into(),
            total: 10,
            bugs: 0,
            wall: 1.0,
            took: 1.0,
        };
        let text = s.weights(&learned, None).to_toml(&s.names).unwrap();
        for part in [
            "mode = \"explore\"",
            "optimizer = \"refine\"",
            "mean = 12.5",
            "union = 2",
            "stopped = \"budget\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let again = Weights::parse(&text, Family::States, &s.names).unwrap();
        assert_eq!(again, s.weights(&learned, None));
    }
}
