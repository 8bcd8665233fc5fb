//! Who chooses the next vector. `Symtuner` is the paper's algorithm 3, `Random` its baseline that learns nothing, `Default`
//! and `Hand` always take the same settings, `Auto` is ours (see `auto`).

use crate::auto::{Ablation, Auto};
use crate::cover::core_vectors;
use crate::data::Data;
use crate::sample::{self, Draw, Tally};
use crate::space::{Space, Vector};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A policy by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The paper's.
    Symtuner,
    /// Uniform draws.
    Random,
    /// The engine's defaults.
    Default,
    /// Settings that somebody chose by hand.
    Hand,
    /// Ours.
    Auto,
}

const NAMES: [(&str, Kind); 5] = [
    ("symtuner", Kind::Symtuner),
    ("random", Kind::Random),
    ("default", Kind::Default),
    ("hand", Kind::Hand),
    ("auto", Kind::Auto),
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|n| n.1 == *self).map_or("", |n| n.0))
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        NAMES.iter().find(|n| n.0 == text).map(|n| n.1).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|n| n.0).collect();
            format!("there is no policy '{text}'; there are {}", names.join(", "))
        })
    }
}

/// Why a vector was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// To see something else.
    Explore,
    /// Because its values did well.
    Exploit,
    /// A good vector with something changed.
    Mutate,
    /// Without regard to anything.
    Random,
    /// It is always the same.
    Fixed,
    /// The engine's defaults, for a large part of the time.
    Start,
}

impl How {
    /// The name in logs.
    pub fn name(self) -> &'static str {
        match self {
            How::Explore => "explore",
            How::Exploit => "exploit",
            How::Mutate => "mutate",
            How::Random => "random",
            How::Fixed => "fixed",
            How::Start => "start",
        }
    }
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The vector.
    pub vector: Vector,
    /// Why.
    pub how: How,
    /// The run's share of time, as a multiple of the schedule's.
    pub stretch: f64,
}

/// What a run brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Branches and bugs that nothing before had reached.
    pub new: usize,
    /// Branches and bugs that it reached at all.
    pub all: usize,
    /// How long it took.
    pub seconds: f64,
}

/// A policy with its memory.
#[derive(Clone, Debug)]
pub struct Policy {
    kind: Kind,
    /// The probability of exploiting.
    exploit: f64,
    /// Runs that only explore, at the beginning.
    warm_up: usize,
    auto: Auto,
}

impl Policy {
    /// A policy with the paper's numbers; `warm_up` is the length of the first round.
    pub fn new(kind: Kind, exploit: f64, warm_up: usize, ablation: Ablation) -> Policy {
        Policy { kind, exploit, warm_up, auto: Auto::new(ablation) }
    }

    /// Which one it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The vector of a run, whose number counts from 0. `fixed` is the one that `Default` and `Hand` take, and `Auto`
    /// begins with.
    pub fn propose(
        &mut self,
        run: usize,
        space: &Space,
        fixed: &Vector,
        data: &Data,
        random: Draw<'_>,
    ) -> Proposal {
        let (vector, how) = match self.kind {
            Kind::Default | Kind::Hand => (fixed.clone(), How::Fixed),
            Kind::Random => (sample::vector(space, |_, p| sample::uniform(p), random), How::Random),
            Kind::Auto => return self.auto.propose(run, space, fixed, random),
            Kind::Symtuner => {
                let exploits = run >= self.warm_up && random() < self.exploit;
                let total = Tally::of(space, data.total_vectors());
                match exploits {
                    false => {
                        (sample::vector(space, |i, p| sample::explore(p, &total.0[i]), random), How::Explore)
                    }
                    true => {
                        let core = Tally::of(space, core_vectors(data));
                        let odds = |i: usize, p: &_| sample::exploit(p, &core.0[i], &total.0[i]);
                        (sample::vector(space, odds, random), How::Exploit)
                    }
                }
            }
        };
        Proposal { vector, how, stretch: 1.0 }
    }

    /// A run has ended.
    pub fn learn(&mut self, proposal: &Proposal, gain: Gain) {
        if self.kind == Kind::Auto {
            self.auto.learn(proposal, gain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    /// A small generator: tests need no good one.
    pub(crate) fn generator(seed: u64) -> impl FnMut() -> f64 {
        let mut x = seed.wrapping_mul(2) | 1;
        move || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// An engine whose coverage depends on two of four parameters: tests of `-a=3` reach three parts of a large space, `-b=x`
    /// adds more; the others change nothing. Each run reaches another small part, so that there is always something new.
    fn reached(vector: &Vector, run: usize) -> Vec<Vec<u32>> {
        let has = |i: usize, text: &str| vector.values(i).iter().any(|v| v.as_deref() == Some(text));
        let run = run as u32;
        let mut tests = vec![vec![0, 1, 2], vec![0, 3]];
        if has(0, "3") {
            tests.extend((0..4).map(|k| vec![0, 1000 + run * 4 + k]));
        }
        if has(1, "x") {
            tests.extend((0..4).map(|k| vec![1, 100_000 + run * 4 + k]));
        }
        tests
    }

    fn space() -> Space {
        Space {
            parameters: vec![
                Parameter::new("-a", [1, 2, 3, 4, 5], 1),
                Parameter::new("-b", ["w", "x", "y", "z"], 1),
                Parameter::new("-c", [1, 2, 3, 4], 2),
                Parameter::new("-d", ["on", "off"], 1),
            ],
        }
    }

    /// The shares of `-a=3` and `-b=x` in the runs after the first hundred.
    fn concentration(kind: Kind, seed: u64) -> (f64, f64) {
        let (space, mut data) = (space(), Data::default());
        let mut policy = Policy::new(kind, 0.7, 20, Ablation::default());
        let mut random = generator(seed);
        let fixed = Vector(vec![Vec::new(); 4]);
        let (mut a, mut b, mut n) = (0, 0, 0);
        for run in 0..400 {
            let p = policy.propose(run, &space, &fixed, &data, &mut random);
            let v = data.add_vector(p.vector.clone());
            let (mut new, mut all) = (0, 0);
            for (k, branches) in reached(&p.vector, run).into_iter().enumerate() {
                all += branches.len();
                new += data.add_test(v, &format!("{run}/{k}"), branches, []);
            }
            policy.learn(&p, Gain { new, all, seconds: p.stretch });
            if run >= 100 {
                n += 1;
                a += usize::from(p.vector.values(0) == [Some("3".into())]);
                b += usize::from(p.vector.values(1) == [Some("x".into())]);
            }
        }
        (a as f64 / n as f64, b as f64 / n as f64)
    }

    #[test]
    fn sampling_concentrates_on_what_helps() {
        for seed in 0..5 {
            let (a, b) = concentration(Kind::Random, seed);
            assert!(a < 0.3 && b < 0.35, "random: {a} {b}");
            let (a, b) = concentration(Kind::Symtuner, seed);
            assert!(a > 0.4 && b > 0.4, "symtuner: {a} {b}");
            let (a, b) = concentration(Kind::Auto, seed);
            assert!(a > 0.4 && b > 0.4, "auto: {a} {b}");
        }
    }

    #[test]
    fn the_first_round_explores() {
        let (space, data) = (space(), Data::default());
        let mut policy = Policy::new(Kind::Symtuner, 1.0, 20, Ablation::default());
        let mut random = generator(1);
        let fixed = Vector::default();
        let mut how = |run| policy.propose(run, &space, &fixed, &data, &mut random).how;
        assert_eq!([how(0), how(19), how(20)], [How::Explore, How::Explore, How::Exploit]);
    }

    #[test]
    fn fixed_policies_never_change() {
        let (space, data) = (space(), Data::default());
        let fixed = Vector(vec![vec![Some("1".into())], vec![], vec![], vec![]]);
        for kind in [Kind::Default, Kind::Hand] {
            let mut policy = Policy::new(kind, 0.7, 20, Ablation::default());
            for run in 0..50 {
                assert_eq!(
                    policy.propose(run, &space, &fixed, &data, &mut generator(run as u64)).vector,
                    fixed
                );
            }
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for (name, kind) in NAMES {
            assert_eq!((kind.to_string().as_str(), name.parse()), (name, Ok(kind)));
        }
        assert!("best".parse::<Kind>().unwrap_err().contains("symtuner, random"));
    }
}
