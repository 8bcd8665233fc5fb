//! All trials of a comparison: every heuristic under every seed.

use super::heuristics::Heuristic;
use super::trial::Trial;
use crate::campaign::progress::Progress;
use crate::campaign::{Search, Template};
use crate::run::borrowed::Borrowed;
use crate::run::options::{Mode, RunArgs};
use forkwise_campaign::{Budget, Campaign, Event, Moment, Outcome};
use std::time::Instant;

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
    total: usize,
    reused: usize,
}

impl<'a> Telling<'a> {
    /// Of so many trials.
    pub fn new(progress: &'a mut Progress, total: usize) -> Telling<'a> {
        Telling { progress, total, reused: 0 }
    }

    fn event(&mut self, event: &Event<'_>, moment: &Moment) {
        let share = moment.done as f64 / self.total.max(1) as f64;
        match event {
            Event::Done(_, _, _, _, true) => self.reused += 1,
            Event::Done(_, trial, outcome, ..) => {
                if self.reused > 0 {
                    let text = format!("{} of {} trials were finished before", self.reused, self.total);
                    self.progress.say(&text, true);
                    self.reused = 0;
                }
                let text = describe(&trial.label, outcome);
                self.progress.at(share, format!("{}/{} trials {text}", moment.done, self.total));
                let line = format!("trial {}/{}: {text}", moment.done, self.total);
                self.progress.say(&line, outcome.end.trouble().is_some());
            }
            Event::Tick => self.progress.tick(|| {
                format!("{} of {} trials finished, {} running", moment.done, self.total, moment.running)
            }),
        }
    }
}

/// A trial in a line.
pub fn describe(label: &str, outcome: &Outcome) -> String {
    let trouble = outcome.end.trouble().map_or(String::new(), |t| format!(" ({t})"));
    format!("{label}: {} branches, {} bugs{trouble}", outcome.covered(), outcome.bugs.len())
}
