//! All trials of a comparison: every heuristic under every seed.

use super::heuristics::Heuristic;
use super::trial::Trial;
use crate::campaign::progress::{Figures, Progress};
use crate::campaign::{Search, Template};
use crate::run::borrowed::Borrowed;
use crate::run::options::{Mode, RunArgs};
use forkwise_campaign::{Budget, Campaign, Event, Moment, Outcome};
use std::time::{Duration, Instant};

/// A heuristic that is ready to be run.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What its trials have in common.
    pub template: Template,
    /// What `--search` is.
    pub search: Search,
    /// When a trial ends.
    pub budget: Budget,
}

impl Entry {
    /// From the options. `tests`: are tests written?
    pub fn new(run: &Borrowed, heuristic: &Heuristic, memory: u64, tests: bool) -> anyhow::Result<Entry> {
        Ok(Entry {
            name: heuristic.name.clone(),
            template: Template::new(run, heuristic.mode, memory, tests)?,
            search: Search::named(&heuristic.search)?,
            budget: budget(&run.args, heuristic.mode),
        })
    }
}

/// The budget that the options of `run` say; executions are for concolic testing only.
pub fn budget(run: &RunArgs, mode: Mode) -> Budget {
    Budget {
        instructions: run.max_instructions,
        executions: run.executions.filter(|_| mode == Mode::Concolic),
        milliseconds: run.time.map(|t| t.as_millis() as u64),
    }
}

/// What came of it.
pub struct Done {
    /// Finished trials, in the order they were asked for.
    pub trials: Vec<Trial>,
    /// Was it ended early?
    pub interrupted: bool,
}

/// Runs all trials. An error is one that every trial would have.
pub fn run(
    campaign: &mut Campaign,
    entries: &[Entry],
    seeds: &[u64],
    deadline: Option<Instant>,
    told: &mut Telling<'_>,
) -> anyhow::Result<Done> {
    let mut trials = Vec::new();
    let mut whose = Vec::new();
    // Seed by seed: what an interrupted comparison has finished can be compared.
    for seed in seeds {
        for (i, entry) in entries.iter().enumerate() {
            let label = format!("{}, seed {seed}", entry.name);
            trials.push(entry.template.trial(&entry.search, *seed, entry.budget, label));
            whose.push((i, *seed));
        }
    }
    told.begin(entries, seeds.len(), campaign.jobs());
    let batch = campaign.run(&trials, deadline, &mut |event, moment| told.event(event, moment))?;
    let places = campaign.store().places()?;
    let finished = whose.iter().zip(&batch.outcomes);
    let trials = finished
        .filter_map(|((i, seed), outcome)| Some(Trial::new(*i, *seed, outcome.as_ref()?, &places)))
        .collect();
    Ok(Done { trials, interrupted: batch.interrupted || batch.expired })
}

/// Says what happens.
pub struct Telling<'a> {
    progress: &'a mut Progress,
    doing: &'a str,
    total: usize,
    reused: usize,
    /// Each heuristic with the branches and the number of its trials.
    sums: Vec<(String, usize, usize)>,
}

impl<'a> Telling<'a> {
    /// Of so many trials, which are for this.
    pub fn new(progress: &'a mut Progress, total: usize, doing: &'a str) -> Telling<'a> {
        Telling { progress, doing, total, reused: 0, sums: Vec::new() }
    }

    fn begin(&mut self, entries: &[Entry], seeds: usize, jobs: usize) {
        self.sums = entries.iter().map(|e| (e.name.clone(), 0, 0)).collect();
        let times: Option<Vec<u64>> = entries.iter().map(|e| e.budget.milliseconds).collect();
        let all = times.map(|t| t.iter().sum::<u64>() * seeds as u64 / jobs.max(1) as u64);
        self.progress.begin(Figures {
            doing: self.doing.to_string(),
            total: Some(self.total),
            expected: all.map(Duration::from_millis),
            ..Figures::default()
        });
    }

    fn event(&mut self, event: &Event<'_>, moment: &Moment) {
        let figures = self.progress.figures();
        (figures.done, figures.running) = (moment.done, moment.running);
        match event {
            Event::Done(place, trial, outcome, _, reused) => {
                figures.add(outcome);
                figures.detail = format!("last {}", describe(&trial.label, outcome));
                let entries = self.sums.len().max(1);
                if let Some((_, branches, trials)) = self.sums.get_mut(place % entries) {
                    (*branches, *trials) = (*branches + outcome.covered(), *trials + 1);
                }
                figures.best = best(&self.sums);
                if *reused {
                    figures.reused += 1;
                    self.reused += 1;
                    return;
                }
                if self.reused > 0 {
                    let text = format!("{} of {} trials were finished before", self.reused, self.total);
                    self.progress.say(&text, true);
                    self.reused = 0;
                }
                let text = describe(&trial.label, outcome);
                let line = format!("trial {}/{}: {text}", moment.done, self.total);
                self.progress.say(&line, outcome.end.trouble().is_some());
            }
            Event::Tick => self.progress.tick(|| {
                format!("{} of {} trials finished, {} running", moment.done, self.total, moment.running)
            }),
        }
    }
}

/// The heuristic that is ahead: the first of equals.
fn best(sums: &[(String, usize, usize)]) -> String {
    let means = sums.iter().filter(|s| s.2 > 0).map(|(name, all, n)| (name, *all as f64 / *n as f64));
    let best = means.fold(None, |best: Option<(&String, f64)>, one| match best {
        Some(best) if best.1 >= one.1 => Some(best),
        _ => Some(one),
    });
    best.map_or(String::new(), |(name, mean)| format!("best {name} {mean:.1}"))
}

/// A trial in a line.
pub fn describe(label: &str, outcome: &Outcome) -> String {
    let trouble = outcome.end.trouble().map_or(String::new(), |t| format!(" ({t})"));
    format!("{label}: {} branches, {} bugs{trouble}", outcome.covered(), outcome.bugs.len())
}
