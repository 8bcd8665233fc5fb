//! How good what was learned is: against every hand-made heuristic, with the same budget, under seeds that nothing was learned
//! from. And, if asked for, what the best of those covers in all the time that learning took.

use super::learning::Learned;
use super::options::TrainArgs;
use super::setting::Setting;
use crate::campaign::Search;
use crate::campaign::progress::Progress;
use crate::compare::batch::{self, Entry, Telling};
use crate::compare::heuristics::Heuristic;
use crate::compare::result::Comparison;
use forkwise_campaign::Campaign;
use std::collections::BTreeSet;

/// What came of it.
pub struct Closing {
    /// The comparison; what was learned is the first.
    pub comparison: Comparison,
    /// The best hand-made heuristic over as many trials as learning had: its name, trials, and what they covered together.
    pub same_time: Option<(String, usize, BTreeSet<u32>)>,
}

/// Compares. `None`: nothing was to be compared, or nothing was finished.
pub fn compare(
    args: &TrainArgs,
    setting: &Setting,
    learned: &Learned,
    campaign: &mut Campaign,
    progress: &mut Progress,
) -> anyhow::Result<Option<Closing>> {
    if setting.seeds.is_empty() {
        return Ok(None);
    }
    let first = Heuristic { name: "learned".into(), mode: setting.mode, search: "learned".into() };
    let heuristics: Vec<Heuristic> = std::iter::once(first).chain(setting.against.iter().cloned()).collect();
    let mut entries = Vec::new();
    for (i, heuristic) in heuristics.iter().enumerate() {
        let search = match i {
            0 => setting.search(&learned.best.weights)?,
            _ => Search::named(&heuristic.search)?,
        };
        let name = format!("held-out {}", heuristic.name);
        entries.push(Entry { name, template: setting.template.clone(), search, budget: setting.trial });
    }
    let total = entries.len() * setting.seeds.len();
    progress.say(&format!("comparing with {} heuristics: {total} trials", setting.against.len()), true);
    let done = batch::run(
        campaign,
        &entries,
        &setting.seeds,
        None,
        &mut Telling::new(progress, total, "comparing"),
    )?;
    if done.trials.is_empty() {
        return Ok(None);
    }
    let run = &args.run.0.args;
    let mut comparison = Comparison::new(run, &heuristics, &setting.seeds, done.trials, done.interrupted);
    comparison.budget = setting.trial.to_string();
    let mut closing = Closing { comparison, same_time: None };
    if args.same_time
        && !done.interrupted
        && let Some(best) = closing.best_hand_made()
    {
        let name = closing.comparison.lines[best].heuristic.name.clone();
        let trials = learned.cost.round() as usize;
        let seeds: Vec<u64> = (0..trials as u64).map(|i| setting.seed.wrapping_add(1_000_000 + i)).collect();
        progress.say(&format!("running {name} for as long as learning took: {trials} trials"), true);
        entries[best].name = format!("same-time {name}");
        let entries = &entries[best..=best];
        let done =
            batch::run(campaign, entries, &seeds, None, &mut Telling::new(progress, trials, "for as long"))?;
        let union = done.trials.iter().flat_map(|t| t.arms.keys().copied()).collect();
        closing.same_time = Some((name, done.trials.len(), union));
    }
    Ok(Some(closing))
}

impl Closing {
    /// The number of the hand-made heuristic with the highest mean.
    pub fn best_hand_made(&self) -> Option<usize> {
        let lines = self.comparison.lines.iter().enumerate().skip(1);
        // The first of equals.
        lines
            .fold(None, |best: Option<(usize, f64)>, (i, line)| match best {
                Some((_, mean)) if mean >= line.branches.mean => best,
                _ => Some((i, line.branches.mean)),
            })
            .map(|(i, _)| i)
    }

    /// For the weight file.
    pub fn to_toml(&self) -> toml::Table {
        let c = &self.comparison;
        let mut table = toml::Table::new();
        for (i, line) in c.lines.iter().enumerate() {
            let mut row = toml::Table::new();
            row.insert("mean".into(), line.branches.mean.into());
            row.insert("max".into(), line.branches.max.into());
            row.insert("deviation".into(), line.branches.deviation.into());
            if let Some(pair) = c.pairs.iter().find(|p| p.a == 0 && p.b == i) {
                row.insert("p".into(), pair.test.p.into());
            }
            table.insert(line.heuristic.name.clone(), row.into());
        }
        let mut out = toml::Table::new();
        out.insert("seeds".into(), toml::Value::Integer(c.seeds.len() as i64));
        out.insert("heuristics".into(), table.into());
        out
    }
}
