//! What follows from the trials of a comparison: a line for each heuristic, the branches that only one reached, and for each
//! pair how surely they differ.

use super::heuristics::Heuristic;
use super::trial::Trial;
use crate::run::options::RunArgs;
use forkwise_learn::sample::Sample;
use forkwise_learn::wilcoxon::{SignedRank, signed_rank};
use std::collections::{BTreeMap, BTreeSet};

/// All of it.
pub struct Comparison {
    /// The program as the user named it.
    pub program: String,
    /// The budget of a trial, in words.
    pub budget: String,
    /// Seeds that were asked for.
    pub seeds: Vec<u64>,
    /// Branches (arms) of the program.
    pub total: u32,
    /// A line for each heuristic, in the user's order.
    pub lines: Vec<Line>,
    /// Each pair once.
    pub pairs: Vec<Pair>,
    /// The trials it follows from.
    pub trials: Vec<Trial>,
    /// Was it ended early?
    pub interrupted: bool,
}

/// What is known of one heuristic.
pub struct Line {
    /// The heuristic.
    pub heuristic: Heuristic,
    /// Covered branches, over trials.
    pub branches: Sample,
    /// Distinct bugs, over trials.
    pub bugs: Sample,
    /// Branches covered in any trial.
    pub union: usize,
    /// Distinct bugs of all trials.
    pub bug_union: BTreeSet<String>,
    /// Branches that no other heuristic reached in any trial: their places.
    pub only: Vec<String>,
    /// Trials that did not end well.
    pub crashed: usize,
}

/// Two heuristics.
pub struct Pair {
    /// Number of the first.
    pub a: usize,
    /// Number of the second.
    pub b: usize,
    /// Mean of (branches of a) - (branches of b) over equal seeds.
    pub difference: f64,
    /// The test over these differences.
    pub test: SignedRank,
    /// Seeds that both have a trial of.
    pub seeds: usize,
}

impl Comparison {
    /// From the trials.
    pub fn new(
        run: &RunArgs,
        heuristics: &[Heuristic],
        seeds: &[u64],
        trials: Vec<Trial>,
        interrupted: bool,
    ) -> Comparison {
        let of = |i: usize| trials.iter().filter(move |t| t.heuristic == i);
        let mut places: BTreeMap<u32, &str> = BTreeMap::new();
        let mut unions: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); heuristics.len()];
        for trial in &trials {
            places.extend(trial.arms.iter().map(|(n, p)| (*n, p.as_str())));
            unions[trial.heuristic].extend(trial.arms.keys());
        }
        let mut reached: BTreeMap<u32, usize> = BTreeMap::new();
        for arm in unions.iter().flatten() {
            *reached.entry(*arm).or_default() += 1;
        }
        let line = |(i, heuristic): (usize, &Heuristic)| {
            let numbers = |f: &dyn Fn(&Trial) -> usize| of(i).map(|t| f(t) as f64).collect::<Vec<_>>();
            Line {
                heuristic: heuristic.clone(),
                branches: Sample::of(&numbers(&|t| t.arms.len())),
                bugs: Sample::of(&numbers(&|t| t.bugs.len())),
                union: unions[i].len(),
                bug_union: of(i).flat_map(|t| t.bugs.iter().cloned()).collect(),
                only: unions[i].iter().filter(|a| reached[a] == 1).map(|a| places[a].to_string()).collect(),
                crashed: of(i).filter(|t| t.trouble.is_some()).count(),
            }
        };
        let lines = heuristics.iter().enumerate().map(line).collect();
        let mut pairs = Vec::new();
        for a in 0..heuristics.len() {
            for b in a + 1..heuristics.len() {
                let by_seed: BTreeMap<u64, usize> = of(b).map(|t| (t.seed, t.arms.len())).collect();
                let differences: Vec<f64> =
                    of(a).filter_map(|t| Some(t.arms.len() as f64 - *by_seed.get(&t.seed)? as f64)).collect();
                pairs.push(Pair {
                    a,
                    b,
                    difference: Sample::of(&differences).mean,
                    test: signed_rank(&differences),
                    seeds: differences.len(),
                });
            }
        }
        Comparison {
            program: run.file().display().to_string(),
            budget: budget(run),
            seeds: seeds.to_vec(),
            total: trials.iter().map(|t| t.total).max().unwrap_or(0),
            lines,
            pairs,
            trials,
            interrupted,
        }
    }
}

fn budget(run: &RunArgs) -> String {
    let mut parts = Vec::new();
    parts.extend(run.time.map(|t| humantime::format_duration(t).to_string()));
    parts.extend(run.max_instructions.map(|n| format!("{n} instructions")));
    parts.extend(run.executions.map(|n| format!("{n} executions (concolic)")));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::options::Mode;
    use clap::{Args, Command, FromArgMatches};

    fn args() -> RunArgs {
        let command = RunArgs::augment_args(Command::new("run"));
        let matches = command.try_get_matches_from(["run", "--time", "1m", "p.c"]).expect("good options");
        RunArgs::from_arg_matches(&matches).expect("good options")
    }

    fn trial(heuristic: usize, seed: u64, arms: &[u32], bugs: &[&str]) -> Trial {
        Trial {
            heuristic,
            seed,
            arms: arms.iter().map(|a| (*a, format!("p.c:{a}:1"))).collect(),
            total: 10,
            bugs: bugs.iter().map(|b| (*b).to_string()).collect(),
            ..Trial::default()
        }
    }

    #[test]
    fn means_unions_and_what_only_one_reached() {
        let names =
            ["dfs", "bfs"].map(|n| Heuristic { name: n.into(), mode: Mode::Explore, search: n.into() });
        let trials = vec![
            trial(0, 1, &[1, 2, 3], &["x"]),
            trial(1, 1, &[1, 2], &[]),
            trial(0, 2, &[1, 2, 4, 5, 6], &["x", "y"]),
            trial(1, 2, &[1, 2, 7], &[]),
            // No partner: counted, but in no pair.
            trial(0, 3, &[1], &[]),
        ];
        let c = Comparison::new(&args(), &names, &[1, 2, 3], trials, true);
        assert_eq!((c.total, c.budget.as_str(), c.program.as_str()), (10, "1m", "p.c"));
        let (dfs, bfs) = (&c.lines[0], &c.lines[1]);
        assert_eq!((dfs.branches.mean, dfs.branches.max, dfs.union), (3.0, 5.0, 6));
        assert_eq!((dfs.bugs.mean, dfs.bug_union.len()), (1.0, 2));
        assert_eq!(dfs.only, ["p.c:3:1", "p.c:4:1", "p.c:5:1", "p.c:6:1"]);
        assert_eq!((bfs.only.as_slice(), bfs.branches.count), (["p.c:7:1".to_string()].as_slice(), 2));
        let pair = &c.pairs[0];
        assert_eq!((pair.seeds, pair.difference, pair.test.plus, pair.test.p), (2, 1.5, 3.0, 0.5));
    }
}
