//! One campaign's mind: the space with its seeds, the data, the policy, and what each run brought. Workers ask it for the
//! next vector and tell it what came of it; it runs nothing itself. The same answers in the same order give the same
//! vectors.

use crate::data::{Bug, Data};
use crate::policy::{Gain, Policy, Proposal};
use crate::sample::Draw;
use crate::seeds;
use crate::space::{Space, Vector};
use serde::{Deserialize, Serialize};

/// What a test reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The test's name, which is the caller's; seeds are chosen by it.
    pub test: String,
    /// Branches by number.
    pub branches: Vec<u32>,
    /// Bugs.
    pub bugs: Vec<Bug>,
}

/// A run that has begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its number, from 0.
    pub number: usize,
    /// Its vector and why.
    pub proposal: Proposal,
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// Its place in [`Data::vectors`].
    pub vector: usize,
    /// What it brought.
    pub gain: Gain,
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Tuner {
    /// What is tuned.
    pub space: Space,
    /// What is known.
    pub data: Data,
    /// Runs that have ended, in that order.
    pub past: Vec<Past>,
    policy: Policy,
    fixed: Vector,
    /// The parameter whose values are tests, if there is one.
    seeds: Option<usize>,
    /// Seeds to choose from.
    most_seeds: usize,
    /// Runs after which seeds are chosen again.
    refresh: usize,
    /// Values of the seed parameter that are always there.
    usual_seeds: Vec<String>,
    begun: usize,
}

impl Tuner {
    /// A campaign at its beginning. `fixed` is the vector of policies that learn nothing.
    pub fn new(space: Space, policy: Policy, fixed: Vector) -> Tuner {
        Tuner {
            space,
            data: Data::default(),
            past: Vec::new(),
            policy,
            fixed,
            seeds: None,
            most_seeds: 0,
            refresh: usize::MAX,
            usual_seeds: Vec::new(),
            begun: 0,
        }
    }

    /// Makes a parameter one whose values are the best tests so far, and these; they are chosen again after so many runs.
    pub fn with_seeds(mut self, parameter: &str, most: usize, usual: Vec<String>, refresh: usize) -> Tuner {
        self.refresh = refresh.max(1);
        self.seeds = self.space.find(parameter);
        self.most_seeds = most;
        self.usual_seeds = usual;
        self
    }

    /// Runs that were begun.
    pub fn begun(&self) -> usize {
        self.begun
    }

    /// The next run.
    pub fn begin(&mut self, random: Draw<'_>) -> Run {
        if self.begun > 0 && self.begun.is_multiple_of(self.refresh) {
            self.choose_seeds();
        }
        let number = self.begun;
        self.begun += 1;
        let proposal = self.policy.propose(number, &self.space, &self.fixed, &self.data, random);
        Run { number, proposal }
    }

    /// A run of an earlier session, told again in the order in which runs ended. Nothing is drawn.
    pub fn restore(&mut self, run: &Run, tests: &[Reached], gain: Gain) {
        self.begun = self.begun.max(run.number + 1);
        self.add(run, tests);
        self.learn(run, gain);
    }

    /// All runs of earlier sessions were told: the seeds of the round in which the campaign goes on.
    pub fn restored(&mut self) {
        if self.begun >= self.refresh {
            self.choose_seeds();
        }
    }

    /// Adds the tests of a run; the answer is what was new.
    fn add(&mut self, run: &Run, tests: &[Reached]) -> usize {
        let vector = self.data.add_vector(run.proposal.vector.clone());
        let mut new = 0;
        for t in tests {
            new += self.data.add_test(vector, &t.test, t.branches.iter().copied(), t.bugs.iter().cloned());
        }
        new
    }

    fn learn(&mut self, run: &Run, gain: Gain) {
        self.policy.learn(&run.proposal, gain);
        self.past.push(Past { vector: self.data.vectors.len() - 1, gain });
    }

    fn choose_seeds(&mut self) {
        let Some(parameter) = self.seeds else { return };
        let best = seeds::best(&self.data, self.most_seeds);
        if best.is_empty() {
            return;
        }
        let mut values: Vec<_> = best.iter().map(|r| Some(r.test.clone())).collect();
        values.extend(self.usual_seeds.iter().map(|s| Some(s.clone())));
        self.space.parameters[parameter].values = values;
    }

    /// What came of a run. Returns what was new in it.
    pub fn end(&mut self, run: &Run, tests: &[Reached], seconds: f64) -> Gain {
        let mut all: Vec<u32> = tests.iter().flat_map(|t| t.branches.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        let mut bugs: Vec<&Bug> = tests.iter().flat_map(|t| &t.bugs).collect();
        bugs.sort_unstable();
        bugs.dedup();
        let all = all.len() + bugs.len();
        let gain = Gain { new: self.add(run, tests), all, seconds };
        self.learn(run, gain);
        gain
    }

    /// The vector whose run reached most, and how much; the earliest of equals.
    pub fn best(&self) -> Option<(&Vector, Gain)> {
        let better = |a: &&Past, b: &&Past| a.gain.all.cmp(&b.gain.all).then(b.vector.cmp(&a.vector));
        self.past.iter().max_by(better).map(|p| (&self.data.vectors[p.vector], p.gain))
    }

    /// How much each parameter mattered for what runs reached.
    pub fn importance(&self) -> Vec<crate::importance::Importance> {
        let runs: Vec<(&Vector, f64)> =
            self.past.iter().map(|p| (&self.data.vectors[p.vector], p.gain.all as f64)).collect();
        crate::importance::rank(&self.space, &runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Ablation;
    use crate::policy::Kind;
    use crate::space::Parameter;

    fn tuner(kind: Kind) -> Tuner {
        let space = Space {
            parameters: vec![
                Parameter::new("-seed-file", Vec::<String>::new(), 1),
                Parameter::new("-a", [1, 2], 1),
            ],
        };
        let policy = Policy::new(kind, 0.7, 2, Ablation::default());
        Tuner::new(space, policy, Vector(vec![vec![], vec![Some("1".into())]])).with_seeds(
            "-seed-file",
            20,
            Vec::new(),
            2,
        )
    }

    fn reached(test: &str, branches: &[u32]) -> Reached {
        Reached { test: test.into(), branches: branches.to_vec(), bugs: Vec::new() }
    }

    #[test]
    fn seeds_come_after_the_first_round() {
        let mut t = tuner(Kind::Random);
        let mut random = || 0.3;
        for n in 0..2 {
            let run = t.begin(&mut random);
            assert!(run.proposal.vector.values(0).is_empty(), "there are no seeds yet");
            t.end(&run, &[reached(&format!("t{n}"), &[n, 7])], 1.0);
        }
        let run = t.begin(&mut random);
        assert_eq!(run.proposal.vector.values(0).len(), 1);
        let values: Vec<&str> = t.space.parameters[0].values.iter().flatten().map(String::as_str).collect();
        assert_eq!(values, ["t0", "t1"]);
    }

    #[test]
    fn a_restored_campaign_goes_on_as_if_nothing_had_happened() {
        let mut one = tuner(Kind::Symtuner);
        let mut other = tuner(Kind::Symtuner);
        for n in 0..6u32 {
            let run = one.begin(&mut || 0.4);
            let tests = [reached(&format!("t{n}"), &[n, n % 2])];
            let gain = one.end(&run, &tests, 1.0);
            other.restore(&run, &tests, gain);
        }
        other.restored();
        assert_eq!(one.begin(&mut || 0.6), other.begin(&mut || 0.6));
        assert_eq!(one.past, other.past);
    }

    #[test]
    fn gains_are_what_was_new() {
        let mut t = tuner(Kind::Symtuner);
        let a = t.begin(&mut || 0.1);
        let b = t.begin(&mut || 0.9);
        let mut second = reached("b", &[2, 3]);
        second.bugs.push(("f".into(), 1));
        assert_eq!(t.end(&b, &[second.clone(), second.clone()], 1.0), Gain { new: 3, all: 3, seconds: 1.0 });
        let gain = t.end(&a, &[reached("a", &[1, 2])], 2.0);
        assert_eq!(gain, Gain { new: 1, all: 2, seconds: 2.0 });
        assert_eq!(t.best().map(|b| b.1.all), Some(3));
        assert_eq!(t.importance().len(), 2);
    }
}
