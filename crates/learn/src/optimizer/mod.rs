//! Finding the weights of a heuristic for a program: Find, Check, Refine (docs/learning.md). It is a machine that asks for
//! evaluations and is told their scores, so it can run on anything that gives scores; it runs nothing itself. What it asks for
//! follows from its seed and the scores alone. After the papers' algorithm comes a step of ours, Confirm, with what is left of the
//! budget: the best average of many is partly luck, so the best vectors of all rounds are evaluated again, the better half of
//! them more often, and so on.
//!
//! `plan` chooses how many evaluations go where, `space` is what is sampled and refined.

mod plan;
mod space;

pub use plan::Plan;
pub use space::Space;

use crate::random::Random;
use std::fmt;

/// How vectors are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Find, Check, Refine until the average falls.
    Refine,
    /// One Find over everything that may be spent, one Check: plain random sampling.
    Random,
    /// As Refine, but vectors of Find are tried on a part of the budget first, and only the better ones go on.
    Racing,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Refine, Kind::Random, Kind::Racing];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Refine => "refine",
            Kind::Random => "random",
            Kind::Racing => "racing",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An evaluation that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The vector.
    pub weights: Vec<f64>,
    /// The seed of the run; no two requests have the same.
    pub seed: u64,
    /// The share of a trial's budget.
    pub scale: f64,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Many vectors, once each; with the number of the rung, from 0.
    Find(usize),
    /// A few, several times each.
    Check,
    /// The best of all rounds once more; with the number of the stage, from 0.
    Confirm(usize),
    /// Nothing any more.
    Done,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Phase::Find(0) => f.write_str("find"),
            Phase::Find(rung) => write!(f, "find, rung {}", rung + 1),
            Phase::Check => f.write_str("check"),
            Phase::Confirm(stage) => write!(f, "confirm {}", stage + 1),
            Phase::Done => f.write_str("done"),
        }
    }
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A round was not better than the one before.
    Converged,
    /// It has had all the rounds it may have.
    Rounds,
    /// What it may spend was spent.
    Budget,
}

impl Stop {
    /// In machine output.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Converged => "converged",
            Stop::Rounds => "rounds",
            Stop::Budget => "budget",
        }
    }
}

/// A vector, and how good it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    /// The vector.
    pub weights: Vec<f64>,
    /// Mean of its scores in Check, or its score in Find if it was never checked.
    pub score: f64,
    /// Evaluations behind the score.
    pub evaluations: usize,
}

/// What a round came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The best score of Find, at the full budget.
    pub found: f64,
    /// The best averages of Check.
    pub checked: Vec<f64>,
    /// Components whose space was refined after it.
    pub refined: usize,
    /// The mean width of the spaces after it: 2 in the beginning.
    pub width: f64,
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Optimizer {
    plan: Plan,
    random: Random,
    space: Space,
    phase: Phase,
    /// Vectors of this phase, in the order they were asked for.
    vectors: Vec<Vec<f64>>,
    best: Option<Rated>,
    /// The best of Find so far, for the case that nothing is ever checked.
    found: Option<Rated>,
    rounds: Vec<Round>,
    /// The two best vectors of each round, for Confirm.
    finalists: Vec<Vec<f64>>,
    /// Scores of Confirm, of the vectors of this phase.
    confirmed: Vec<Vec<f64>>,
    stop: Option<Stop>,
    evaluations: usize,
}

impl Optimizer {
    /// Begins to look for a vector of so many weights.
    pub fn new(dimension: usize, plan: Plan, seed: u64) -> Optimizer {
        let mut optimizer = Optimizer {
            plan,
            random: Random::new(seed),
            space: Space::new(dimension),
            phase: Phase::Find(0),
            vectors: Vec::new(),
            best: None,
            found: None,
            rounds: Vec::new(),
            finalists: Vec::new(),
            confirmed: Vec::new(),
            stop: None,
            evaluations: 0,
        };
        optimizer.begin_round();
        optimizer
    }

    /// The same, but this vector is known to be good: it is among those of the first Find, and, however its single score there
    /// turned out, among those that are confirmed.
    pub fn starting_with(mut self, known: Vec<f64>) -> Optimizer {
        if let Some(first) = self.vectors.first_mut() {
            first.clone_from(&known);
        }
        self.finalists.push(known);
        self
    }

    fn begin_round(&mut self) {
        self.phase = Phase::Find(0);
        self.vectors = (0..self.plan.samples).map(|_| self.space.sample(&mut self.random)).collect();
    }

    /// What is to be evaluated now; empty when it has ended. Each call gives new seeds, so it is called once for each `tell`.
    pub fn ask(&mut self) -> Vec<Request> {
        let (times, scale) = match self.phase {
            Phase::Find(rung) => (1, self.plan.scale(rung)),
            Phase::Check => (self.plan.repeats, 1.0),
            Phase::Confirm(stage) => (self.plan.repeats << stage.min(8), 1.0),
            Phase::Done => return Vec::new(),
        };
        let mut out = Vec::with_capacity(self.vectors.len() * times);
        // Repeat by repeat: what is cut off in the middle has evaluated all vectors about equally often.
        for _ in 0..times {
            for weights in &self.vectors {
                // Far from the seeds that people choose.
                let seed = self.random.next_u64() >> 2 | 1 << 62;
                out.push(Request { weights: weights.clone(), seed, scale });
            }
        }
        out
    }

    /// The scores of what was asked for, in that order. `None`: it was not evaluated because the budget has ended; then
    /// this is the end.
    pub fn tell(&mut self, scores: &[Option<f64>]) {
        self.evaluations += scores.iter().flatten().count();
        let rated = self.rate(scores);
        let cut_off = scores.iter().any(Option::is_none);
        match self.phase {
            Phase::Find(rung) => self.found(rung, rated, cut_off),
            Phase::Check => self.checked(rated, cut_off),
            Phase::Confirm(stage) => self.confirm(stage, scores, cut_off),
            Phase::Done => {}
        }
        if cut_off {
            self.end(Stop::Budget);
            self.phase = Phase::Done;
        }
    }

    /// The vectors of this phase that were evaluated, best first; among equals in the order they were sampled.
    fn rate(&self, scores: &[Option<f64>]) -> Vec<Rated> {
        let mut rated: Vec<Rated> = Vec::new();
        for (i, weights) in self.vectors.iter().enumerate() {
            let of: Vec<f64> = scores.iter().skip(i).step_by(self.vectors.len()).flatten().copied().collect();
            if !of.is_empty() {
                let score = of.iter().sum::<f64>() / of.len() as f64;
                rated.push(Rated { weights: weights.clone(), score, evaluations: of.len() });
            }
        }
        rated.sort_by(|a, b| b.score.total_cmp(&a.score));
        rated
    }

    fn found(&mut self, rung: usize, rated: Vec<Rated>, cut_off: bool) {
        let last = rung + 1 == self.plan.rungs;
        if (last || self.found.is_none())
            && let Some(top) = rated.first()
            && self.found.as_ref().is_none_or(|f| f.score < top.score)
        {
            self.found = Some(top.clone());
        }
        if cut_off {
            return;
        }
        let found = rated.first().map_or(0.0, |r| r.score);
        let keep = if last { self.plan.keep } else { self.plan.survivors(rung) };
        self.vectors = rated.into_iter().take(keep).map(|r| r.weights).collect();
        if last {
            self.rounds.push(Round { found, checked: Vec::new(), refined: 0, width: self.space.width() });
            self.phase = Phase::Check;
        } else {
            self.phase = Phase::Find(rung + 1);
        }
    }

    fn checked(&mut self, rated: Vec<Rated>, cut_off: bool) {
        let Some(first) = rated.first().cloned() else { return };
        // A mean of fewer evaluations than were planned may be luck: it counts only where there is nothing better.
        let better = self.best.as_ref().is_none_or(|b| first.score >= b.score);
        let sure = first.evaluations == self.plan.repeats || self.best.is_none();
        if let Some(round) = self.rounds.last_mut() {
            round.checked = rated.iter().take(2).map(|r| r.score).collect();
        }
        if cut_off {
            if better && sure {
                self.best = Some(first);
            }
            return;
        }
        for r in rated.iter().take(2) {
            // A known vector is one already.
            if !self.finalists.contains(&r.weights) {
                self.finalists.push(r.weights.clone());
            }
        }
        let second = rated.get(1).unwrap_or(&first);
        let refined = self.space.refine(&first.weights, &second.weights);
        if let Some(round) = self.rounds.last_mut() {
            (round.refined, round.width) = (refined, self.space.width());
        }
        if !better {
            return self.end(Stop::Converged);
        }
        self.best = Some(first);
        match self.plan.rounds {
            Some(most) if self.rounds.len() >= most => self.end(Stop::Rounds),
            _ => self.begin_round(),
        }
    }

    fn confirm(&mut self, stage: usize, scores: &[Option<f64>], cut_off: bool) {
        let count = self.vectors.len();
        for (i, of) in self.confirmed.iter_mut().enumerate() {
            of.extend(scores.iter().skip(i).step_by(count.max(1)).flatten());
        }
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|a, b| mean(&self.confirmed[*b]).total_cmp(&mean(&self.confirmed[*a])));
        // Scores of Confirm alone: those of Check are why the vectors are here.
        if let Some(first) = order.first()
            && self.confirmed.iter().all(|of| of.len() >= self.plan.repeats)
        {
            let of = &self.confirmed[*first];
            let weights = self.vectors[*first].clone();
            self.best = Some(Rated { weights, score: mean(of), evaluations: of.len() });
        }
        if cut_off || count < 2 {
            self.phase = Phase::Done;
            return;
        }
        order.truncate(count.div_ceil(2));
        if order.len() == count {
            order.truncate(1);
        }
        self.vectors = order.iter().map(|i| self.vectors[*i].clone()).collect();
        self.confirmed = order.iter().map(|i| self.confirmed[*i].clone()).collect();
        self.phase = if self.vectors.len() > 1 { Phase::Confirm(stage + 1) } else { Phase::Done };
    }

    /// The algorithm is at its end; Confirm comes after it, unless the budget has ended, too.
    fn end(&mut self, why: Stop) {
        self.stop.get_or_insert(why);
        self.vectors.clear();
        self.phase = Phase::Done;
        if why != Stop::Budget && self.plan.confirm && self.finalists.len() > 1 {
            self.vectors = std::mem::take(&mut self.finalists);
            self.confirmed = vec![Vec::new(); self.vectors.len()];
            self.phase = Phase::Confirm(0);
        }
    }

    /// What is being done.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The number of the round, from 1.
    pub fn round(&self) -> usize {
        self.rounds.len() + usize::from(matches!(self.phase, Phase::Find(_)))
    }

    /// What the finished rounds came to.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Why it ended, if it did.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Evaluations so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// The best vector so far: by its average, or, where nothing was averaged yet, by its single score.
    pub fn best(&self) -> Option<&Rated> {
        self.best.as_ref().or(self.found.as_ref())
    }

    /// What is sampled now.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How evaluations are spent.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

#[cfg(test)]
mod tests;
