//! Our policy. Differences from the paper's: a value is credited with what its runs added to everything known, not with
//! its share of a cover; credit fades, so that what worked early gives way; the length of a run is chosen by what it
//! yields per second; one run in three is the best recent vector with little changed, as values depend on each other; and
//! leaving a parameter out, which is what the engine's makers would do, begins with some credit. The first run has the
//! engine's defaults and much time: depth is what short runs lack, and its best tests are where they begin.
//! Each of these can be taken away ([`Ablation`]) to see what it is worth.

use crate::policy::{Gain, How, Proposal};
use crate::sample::{self, Counts, Draw, Odds, Tally, normalise};
use crate::space::{Parameter, Space, Vector};

/// Parts of the policy to do without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ablation {
    /// Credit for everything a run reached instead of what was new.
    pub marginal: bool,
    /// Credit never fades.
    pub decay: bool,
    /// Every run has the schedule's time.
    pub stretch: bool,
    /// Every vector is drawn anew.
    pub mutate: bool,
    /// The first run is drawn, too, and as long as others.
    pub start: bool,
    /// Leaving a parameter out begins with no more credit than any value.
    pub prior: bool,
}

impl Ablation {
    /// The names of the parts.
    pub const PARTS: [&'static str; 6] = ["marginal", "decay", "stretch", "mutate", "start", "prior"];

    /// Takes a part away.
    pub fn without(mut self, part: &str) -> Result<Ablation, String> {
        *match part {
            "marginal" => &mut self.marginal,
            "decay" => &mut self.decay,
            "stretch" => &mut self.stretch,
            "mutate" => &mut self.mutate,
            "start" => &mut self.start,
            "prior" => &mut self.prior,
            _ => return Err(format!("there is no part '{part}'; there are {}", Self::PARTS.join(", "))),
        } = true;
        Ok(self)
    }
}

/// What old credit is worth after each run.
const FADE: f64 = 0.97;
/// Runs with an average result that every value begins with.
const PRIOR: f64 = 1.0;
/// The same for leaving a parameter out: so many runs with so many times the average.
const LEFT_OUT: (f64, f64) = (6.0, 4.0);
/// The value of a parameter of tests that stands for all of the best ones: it begins with the same credit.
pub const EVERYTHING: &str = "*";
/// The part of the time that the first run of `auto` gets.
pub const START: f64 = 0.3;
/// How much more a value that does twice as well is drawn: 2 to the power of this.
const SHARPNESS: f64 = 2.0;
/// The least share of a value compared with an even draw: what is bad now may be good later.
const LEAST: f64 = 0.15;
/// The probability of changing a good vector instead of drawing one, and of changing each of its parameters.
const MUTATE: f64 = 0.35;
const CHANGE: f64 = 0.2;
/// Good vectors that are kept.
const ELITE: usize = 8;
/// A run counts at most so many times the average: one lucky run must not decide everything.
const MOST: f64 = 5.0;
/// Lengths of runs, as multiples of the schedule's.
const STRETCHES: [f64; 3] = [0.5, 1.0, 2.0];

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Auto {
    ablation: Ablation,
    credit: Tally,
    uses: Tally,
    /// The same for lengths of runs.
    stretch_credit: [f64; 3],
    stretch_uses: [f64; 3],
    /// What is left of the credit that leaving out begins with: it fades as all credit does.
    prior: f64,
    /// Recent average of what a run brings in a second.
    average: f64,
    /// The same by length of runs.
    averages: [f64; 3],
    /// Vectors that did best, with their fading results.
    elite: Vec<(f64, Vector)>,
}

impl Auto {
    pub(crate) fn new(ablation: Ablation) -> Auto {
        Auto {
            ablation,
            credit: Tally::default(),
            uses: Tally::default(),
            stretch_credit: [0.0; 3],
            stretch_uses: [0.0; 3],
            prior: 1.0,
            average: 0.0,
            averages: [0.0; 3],
            elite: Vec::new(),
        }
    }

    pub(crate) fn propose(
        &mut self,
        run: usize,
        space: &Space,
        fixed: &Vector,
        random: Draw<'_>,
    ) -> Proposal {
        self.credit.0.resize_with(space.parameters.len(), Counts::default);
        self.uses.0.resize_with(space.parameters.len(), Counts::default);
        if run == 0 && !self.ablation.start {
            return Proposal { vector: fixed.clone(), how: How::Start, stretch: 1.0 };
        }
        let stretch = match self.ablation.stretch {
            true => 1.0,
            false => {
                let scores: Vec<f64> = (0..3)
                    .map(|i| mean(self.stretch_credit[i], self.stretch_uses[i]).powf(SHARPNESS))
                    .collect();
                STRETCHES[sample::pick(&floor(&normalise(&scores)), random())]
            }
        };
        if !self.ablation.mutate && !self.elite.is_empty() && random() < MUTATE {
            let scores: Vec<f64> = self.elite.iter().map(|e| e.0).collect();
            let mut vector = self.elite[sample::pick(&normalise(&scores), random())].1.clone();
            vector.0.resize_with(space.parameters.len(), Vec::new);
            for (i, parameter) in space.parameters.iter().enumerate() {
                let gone = vector.0[i].iter().any(|v| !parameter.values.contains(v));
                if gone || random() < CHANGE {
                    vector.0[i] = sample::draw(parameter, &self.odds(i, parameter), random);
                }
            }
            return Proposal { vector, how: How::Mutate, stretch };
        }
        let vector = sample::vector(space, |i, p| self.odds(i, p), random);
        Proposal { vector, how: How::Exploit, stretch }
    }

    fn odds(&self, i: usize, parameter: &Parameter) -> Odds {
        let (credit, uses) = (&self.credit.0[i], &self.uses.0[i]);
        let of = |c: Option<&f64>, n: Option<&f64>| {
            mean(c.copied().unwrap_or(0.0), n.copied().unwrap_or(0.0)).powf(SHARPNESS)
        };
        let values: Vec<f64> = parameter
            .values
            .iter()
            .map(|v| {
                let (credit, uses) = (credit.values.get(v), uses.values.get(v));
                match matches!(v.as_deref(), Some("" | EVERYTHING)) && !self.ablation.prior {
                    true => {
                        let (runs, times) = (LEFT_OUT.0 * self.prior, LEFT_OUT.1);
                        let credit = credit.copied().unwrap_or(0.0) + runs * times;
                        mean(credit, uses.copied().unwrap_or(0.0) + runs).powf(SHARPNESS)
                    }
                    false => of(credit, uses),
                }
            })
            .collect();
        let lengths: Vec<f64> =
            (1..=parameter.max).map(|n| of(credit.lengths.get(&n), uses.lengths.get(&n))).collect();
        Odds { values: floor(&normalise(&values)), lengths: floor(&normalise(&lengths)) }
    }

    pub(crate) fn learn(&mut self, proposal: &Proposal, gain: Gain) {
        if proposal.how == How::Start {
            // It reaches what every run reaches, and takes far longer: nothing to compare others with.
            self.elite.push((1.0, proposal.vector.clone()));
            return;
        }
        let brought = if self.ablation.marginal { gain.all } else { gain.new };
        let rate = brought as f64 / gain.seconds.max(1e-3);
        // A run is compared with others of its length, which is no merit of its values; lengths are compared among themselves.
        let class = STRETCHES.iter().position(|s| *s == proposal.stretch).unwrap_or(0);
        let compare = |average: &mut f64| {
            *average = if *average > 0.0 { 0.8 * *average + 0.2 * rate } else { rate };
            if *average > 0.0 { (rate / *average).min(MOST) } else { 1.0 }
        };
        let result = compare(&mut self.averages[class]);
        let by_length = compare(&mut self.average);
        let fade = if self.ablation.decay { 1.0 } else { FADE };
        self.prior *= fade;
        self.credit.fade(fade);
        self.uses.fade(fade);
        self.credit.add(&proposal.vector, result);
        self.uses.add(&proposal.vector, 1.0);
        for (i, stretch) in STRETCHES.iter().enumerate() {
            self.stretch_credit[i] *= fade;
            self.stretch_uses[i] *= fade;
            if *stretch == proposal.stretch {
                self.stretch_credit[i] += by_length;
                self.stretch_uses[i] += 1.0;
            }
        }
        self.elite.iter_mut().for_each(|e| e.0 *= if self.ablation.decay { 1.0 } else { 0.85 });
        self.elite.push((result, proposal.vector.clone()));
        self.elite.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.elite.truncate(ELITE);
    }
}

/// The average result, where every value begins with an average one.
fn mean(credit: f64, uses: f64) -> f64 {
    (credit + PRIOR) / (uses + PRIOR)
}

/// No probability below a small share of an even one.
fn floor(odds: &[f64]) -> Vec<f64> {
    let least = LEAST / odds.len().max(1) as f64;
    normalise(&odds.iter().map(|p| p.max(least)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Proposal {
        Proposal { vector: Vector(vec![vec![Some(text.into())]]), how: How::Exploit, stretch: 1.0 }
    }

    fn odds_after(gains: &[(&str, usize)], ablation: Ablation) -> Vec<f64> {
        let space = Space { parameters: vec![Parameter::new("-p", ["a", "b"], 1)] };
        let mut auto = Auto::new(ablation);
        auto.propose(1, &space, &Vector::default(), &mut || 0.5);
        for (value, new) in gains {
            auto.learn(&one(value), Gain { new: *new, all: 10, seconds: 1.0 });
        }
        auto.odds(0, &space.parameters[0]).values
    }

    #[test]
    fn new_branches_are_what_counts() {
        let odds = odds_after(&[("a", 10), ("b", 0), ("a", 10), ("b", 0)], Ablation::default());
        assert!(odds[0] > 0.8, "{odds:?}");
        let without = Ablation::default().without("marginal").unwrap();
        let odds = odds_after(&[("a", 10), ("b", 0), ("a", 10), ("b", 0)], without);
        assert!((odds[0] - 0.5).abs() < 1e-9, "both reached as much: {odds:?}");
    }

    #[test]
    fn what_worked_once_gives_way() {
        let mut gains = vec![("a", 10), ("a", 10), ("a", 10)];
        gains.extend([("a", 0), ("b", 5)].repeat(20));
        assert!(odds_after(&gains, Ablation::default())[1] > 0.8);
    }

    #[test]
    fn leaving_out_begins_with_credit_and_may_lose_it() {
        let space = Space { parameters: vec![Parameter::new("-p", ["", "a", "b"], 1)] };
        let odds = |runs: usize, ablation| {
            let mut auto = Auto::new(ablation);
            auto.propose(1, &space, &Vector::default(), &mut || 0.5);
            for _ in 0..runs {
                auto.learn(&one(""), Gain { new: 0, all: 0, seconds: 1.0 });
                auto.learn(&one("a"), Gain { new: 9, all: 9, seconds: 1.0 });
            }
            auto.odds(0, &space.parameters[0]).values
        };
        assert!(odds(0, Ablation::default())[0] > 0.7);
        assert!(odds(20, Ablation::default())[0] < 0.3);
        let without = Ablation::default().without("prior").unwrap();
        assert!((odds(0, without)[0] - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_given_up() {
        let odds = odds_after(&[("a", 10), ("b", 0)].repeat(50), Ablation::default());
        assert!(odds[1] > 0.05, "{odds:?}");
        assert!(Ablation::default().without("everything").unwrap_err().contains("marginal, decay"));
    }
}
