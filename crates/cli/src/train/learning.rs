//! The loop between the optimiser, which asks for evaluations, and the campaign, which runs them. An evaluation's score is the number
//! of branches that its trial covered.

use super::report::Events;
use super::setting::Setting;
use crate::campaign::progress::{Figures, Progress};
use crate::compare::batch::describe;
use forkwise_campaign::{Campaign, Event, Moment, Outcome, Trial};
use forkwise_learn::optimizer::{Optimizer, Phase, Rated, Request, Round};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The label of every trial that is learned from begins with this.
pub const LABEL: &str = "learn";

/// What came of it.
pub struct Learned {
    /// The weights.
    pub best: Rated,
    /// Rounds that were finished.
    pub rounds: Vec<Round>,
    /// Evaluations.
    pub evaluations: usize,
    /// What they cost, in whole trials: with racing some are shorter.
    pub cost: f64,
    /// Why it ended.
    pub stop: &'static str,
    /// Branches that any of the trials covered.
    pub union: BTreeSet<u32>,
    /// Branches there are.
    pub total: u32,
    /// Distinct bugs of all trials of the campaign.
    pub bugs: usize,
    /// Seconds of all trials together, by the clock.
    pub wall: f64,
    /// Seconds of this process, as far as it ran trials.
    pub took: f64,
}

/// Learns until the optimiser or the budget ends, or an interrupt comes. `None`: nothing was evaluated.
pub fn learn(
    setting: &Setting,
    campaign: &mut Campaign,
    progress: &mut Progress,
    events: &mut Events,
) -> anyhow::Result<Option<Learned>> {
    let mut optimizer = Optimizer::new(setting.names.len(), setting.plan.clone(), setting.seed);
    if let Some(known) = setting.known() {
        optimizer = optimizer.starting_with(known);
    }
    let mut sums = Sums::default();
    let begun = Instant::now();
    let spent = spent(campaign)?;
    let deadline = setting.time.map(|time| begun + time.saturating_sub(spent));
    progress.begin(Figures {
        limit: setting.time,
        spent,
        hint: "larger inputs or a longer --trial may help",
        ..Figures::default()
    });
    loop {
        let asked = optimizer.ask();
        if asked.is_empty() {
            break;
        }
        let affordable = affordable(setting, &asked, sums.cost);
        let label = format!("{LABEL} {} {}", optimizer.round(), word(optimizer.phase()));
        let mut trials = Vec::with_capacity(affordable);
        for request in &asked[..affordable] {
            trials.push(trial(setting, request, &label)?);
        }
        events.phase(&optimizer, trials.len())?;
        let mut watch = Watch { optimizer: &optimizer, setting, deadline, sums: &mut sums, progress, events };
        let batch = campaign.run(&trials, deadline, &mut |event, moment| watch.event(event, moment))?;
        let mut scores: Vec<Option<f64>> =
            batch.outcomes.iter().map(|o| o.as_ref().map(|o| o.covered() as f64)).collect();
        scores.resize(asked.len(), None);
        sums.cost +=
            asked.iter().zip(&scores).filter(|(_, s)| s.is_some()).map(|(r, _)| r.scale).sum::<f64>();
        optimizer.tell(&scores);
        if batch.interrupted {
            break;
        }
    }
    let Some(best) = optimizer.best().cloned() else { return Ok(None) };
    Ok(Some(Learned {
        best,
        rounds: optimizer.rounds().to_vec(),
        evaluations: optimizer.evaluations(),
        cost: sums.cost,
        stop: if campaign.interrupted() { "interrupted" } else { optimizer.stop().map_or("?", |s| s.name()) },
        union: sums.union,
        total: sums.total,
        bugs: campaign.store().bugs()?.len(),
        wall: sums.wall,
        took: begun.elapsed().as_secs_f64(),
    }))
}

/// The time that earlier processes spent on learning.
fn spent(campaign: &Campaign) -> anyhow::Result<Duration> {
    let all = campaign.store().outcomes()?;
    let wall: f64 = all.iter().filter(|(t, _)| t.label.starts_with(LABEL)).map(|(_, o)| o.wall).sum();
    Ok(Duration::from_secs_f64(wall.max(0.0) / campaign.jobs() as f64))
}

/// How many of these the number of evaluations allows.
fn affordable(setting: &Setting, asked: &[Request], cost: f64) -> usize {
    let Some(most) = setting.evaluations else { return asked.len() };
    let mut rest = f64::from(most) - cost + 1e-9;
    asked
        .iter()
        .take_while(|request| {
            rest -= request.scale;
            rest >= 0.0
        })
        .count()
}

fn trial(setting: &Setting, request: &Request, label: &str) -> anyhow::Result<Trial> {
    let budget = match request.scale < 1.0 {
        true => setting.trial.scaled(request.scale),
        false => setting.trial,
    };
    let search = setting.search(&request.weights)?;
    Ok(setting.template.trial(&search, request.seed, budget, label.to_string()))
}

fn word(phase: Phase) -> String {
    match phase {
        Phase::Find(rung) if rung > 0 => format!("find-{}", rung + 1),
        Phase::Find(_) => "find".into(),
        Phase::Check => "check".into(),
        Phase::Confirm(_) => "confirm".into(),
        Phase::Done => "done".into(),
    }
}

/// What is added up over all trials.
#[derive(Default)]
struct Sums {
    cost: f64,
    union: BTreeSet<u32>,
    total: u32,
    wall: f64,
    best: usize,
    done: usize,
    reused: usize,
}

/// Sees what happens in a batch.
struct Watch<'a> {
    optimizer: &'a Optimizer,
    setting: &'a Setting,
    deadline: Option<Instant>,
    sums: &'a mut Sums,
    progress: &'a mut Progress,
    events: &'a mut Events,
}

impl Watch<'_> {
    fn event(&mut self, event: &Event<'_>, moment: &Moment) {
        match event {
            Event::Done(_, trial, outcome, _, reused) => {
                self.add(outcome);
                self.progress.figures().add(outcome);
                self.show(moment);
                self.events.trial(trial, outcome, *reused);
                if *reused {
                    self.sums.reused += 1;
                    return;
                }
                if self.sums.reused > 0 {
                    let text = format!("{} trials were finished before", self.sums.reused);
                    self.progress.say(&text, true);
                    self.sums.reused = 0;
                }
                let text = self.text(moment);
                let trouble = outcome.end.trouble().is_some();
                let line = match trouble {
                    true => describe(&trial.label, outcome),
                    false => format!("{text}; {} branches", outcome.covered()),
                };
                self.progress.say(&line, trouble);
            }
            Event::Tick => {
                let text = self.text(moment);
                self.show(moment);
                self.progress.tick(|| text);
            }
        }
    }

    fn add(&mut self, outcome: &Outcome) {
        let sums = &mut self.sums;
        sums.union.extend(&outcome.arms);
        sums.total = sums.total.max(outcome.total);
        sums.wall += outcome.wall;
        sums.best = sums.best.max(outcome.covered());
        sums.done += 1;
    }

    /// Puts what is known onto the screen.
    fn show(&mut self, moment: &Moment) {
        let average = match self.optimizer.best() {
            Some(best) if best.evaluations > 1 => format!(", average {:.1}", best.score),
            _ => String::new(),
        };
        let figures = self.progress.figures();
        (figures.done, figures.running) = (moment.done, moment.running);
        figures.total = Some(moment.total);
        figures.doing = format!("round {}, {}", self.optimizer.round(), self.optimizer.phase());
        figures.best = format!("best {}{average}", self.sums.best);
        figures.detail = match self.setting.evaluations {
            Some(all) => format!("{} of {all} trials to learn from", self.sums.done),
            None => String::new(),
        };
    }

    fn left(&self) -> Duration {
        self.deadline.map_or(Duration::ZERO, |d| d.saturating_duration_since(Instant::now()))
    }

    fn text(&self, moment: &Moment) -> String {
        let average = match self.optimizer.best() {
            Some(best) if best.evaluations > 1 => format!(", best average {:.1}", best.score),
            _ => String::new(),
        };
        let left = match self.deadline {
            Some(_) => {
                let seconds = Duration::from_secs(self.left().as_secs());
                format!(", {} left", humantime::format_duration(seconds))
            }
            None => String::new(),
        };
        format!(
            "round {}, {}: {}/{} trials, {} running, best {}{average}, together {}{left}",
            self.optimizer.round(),
            self.optimizer.phase(),
            moment.done,
            moment.total,
            moment.running,
            self.sums.best,
            self.sums.union.len(),
        )
    }
}
