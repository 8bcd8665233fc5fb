//! The parametric search: each live state has a score, the sum of the weights of the features it has, and the highest
//! score runs next (of equal ones, the oldest state). With fewer than ten states no feature means anything, and the
//! choice is uniform. The weights are somebody else's: see `features` for what they weigh.

use super::features::{FEATURES, STATE_FEATURES};
use super::random_state::RandomState;
use super::ranking::Ranking;
use super::{Searcher, View};
use crate::forest::Slot;
use crate::random::Random;
use forkwise_vm::StateId;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Below this number of states the choice is uniform.
const FEW: usize = 10;

/// The weights of a parametric search, and what to call it.
#[derive(Clone, Debug)]
pub struct Weights {
    /// As it is written on the command line: `param:FILE`.
    pub name: Arc<str>,
    /// One for each of `STATE_FEATURES`.
    pub weights: Arc<[f64; FEATURES]>,
}

impl PartialEq for Weights {
    fn eq(&self, other: &Weights) -> bool {
        let bits = |w: &Weights| w.weights.map(f64::to_bits);
        self.name == other.name && bits(self) == bits(other)
    }
}

impl Eq for Weights {}

/// See the module text.
#[derive(Debug)]
pub struct Parametric {
    name: Arc<str>,
    weights: [f64; FEATURES],
    ranking: Ranking,
    /// The best first.
    order: BTreeSet<(Reverse<u64>, StateId, Slot)>,
    /// By slot: the key in `order`.
    scores: Vec<Option<(Reverse<u64>, StateId)>>,
    uniform: RandomState,
}

/// Numbers in the order of the scores: total, and the same for both zeros.
fn ordered(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

impl Parametric {
    /// No states yet.
    pub fn new(weights: [f64; FEATURES], random: Random) -> Parametric {
        Parametric {
            name: "param".into(),
            weights,
            ranking: Ranking::default(),
            order: BTreeSet::new(),
            scores: Vec::new(),
            uniform: RandomState::new(random),
        }
    }

    pub(crate) fn named(mut self, name: Arc<str>) -> Parametric {
        self.name = name;
        self
    }

    /// The sum of the weights of the features in `bits`.
    fn score(&self, bits: u32) -> f64 {
        let has = |i: &usize| bits >> i & 1 == 1;
        (0..STATE_FEATURES.len()).filter(has).map(|i| self.weights[i]).sum()
    }

    fn rescore(&mut self) {
        for slot in self.ranking.take_changed() {
            if self.scores.len() <= slot as usize {
                self.scores.resize(slot as usize + 1, None);
            }
            // Gone since.
            let Some(id) = self.ranking.id(slot) else { continue };
            let key = (Reverse(ordered(self.score(self.ranking.bits(slot)))), id);
            let old = self.scores[slot as usize].replace(key);
            if old != Some(key) {
                old.map(|o| self.order.remove(&(o.0, o.1, slot)));
                self.order.insert((key.0, key.1, slot));
            }
        }
    }
}

impl Searcher for Parametric {
    fn select(&mut self, view: View<'_>) -> Slot {
        // Distances may have been computed since.
        self.ranking.update(view, None, &[], &[]);
        self.rescore();
        if self.ranking.len() < FEW {
            return self.uniform.select(view);
        }
        self.order.first().expect("there is a state").2
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        self.uniform.update(view, current, added, removed);
        for slot in removed {
            if let Some(Some(key)) = self.scores.get_mut(*slot as usize).map(Option::take) {
                self.order.remove(&(key.0, key.1, *slot));
            }
        }
        self.ranking.update(view, current, added, removed);
        self.rescore();
    }

    fn is_empty(&self) -> bool {
        self.ranking.is_empty()
    }

    fn name(&self) -> String {
        self.name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::tests::World;

    fn weights(of: &[(&str, f64)]) -> [f64; FEATURES] {
        let mut out = [0.0; FEATURES];
        for (name, weight) in of {
            let i = STATE_FEATURES.iter().position(|f| f.name == *name).expect("a feature");
            out[i] = *weight;
        }
        out
    }

    /// Twenty states with 0, 10, 20, … instructions.
    fn twenty(s: &mut Parametric) -> (World, Vec<Slot>) {
        let mut world = World::new();
        let mut slots = vec![world.root(s)];
        for i in 1..20 {
            let slot = world.fork(s, slots[0]);
            world.forest.state_mut(slot).instructions = 10 * i;
            s.update(world.view(), Some(slot), &[], &[]);
            slots.push(slot);
        }
        (world, slots)
    }

    #[test]
    fn scores_are_ordered_as_numbers() {
        let sorted = [f64::NEG_INFINITY, -2.0, -1e-300, 0.0, 1e-300, 0.5, 2.0, f64::INFINITY];
        assert!(sorted.windows(2).all(|w| ordered(w[0]) < ordered(w[1])));
        assert_eq!(ordered(0.0), ordered(-0.0));
    }

    #[test]
    fn the_highest_score_runs_and_the_oldest_of_equals() {
        let mut s = Parametric::new(weights(&[("instructions-high", 1.0)]), Random::new(1));
        let (mut world, slots) = twenty(&mut s);
        assert_eq!(s.select(world.view()), slots[18]);
        world.end(&mut s, slots[18]);
        // Nineteen states: one is in the highest tenth.
        assert_eq!(s.select(world.view()), slots[19]);
        let mut s = Parametric::new(
            weights(&[("instructions-high", -1.0), ("instructions-low", -0.5)]),
            Random::new(1),
        );
        let (world, slots) = twenty(&mut s);
        assert_eq!(s.select(world.view()), slots[2], "the oldest of those with neither");
    }

    #[test]
    fn few_states_are_chosen_from_uniformly() {
        let mut s = Parametric::new(weights(&[("instructions-high", 1.0)]), Random::new(1));
        let mut world = World::new();
        let first = world.root(&mut s);
        for _ in 1..9 {
            world.fork(&mut s, first);
        }
        let mut seen = [0; 9];
        (0..900).for_each(|_| seen[s.select(world.view()) as usize] += 1);
        assert!(seen.iter().all(|n| *n > 60), "{seen:?}");
        world.fork(&mut s, first);
        let chosen = s.select(world.view());
        assert!((0..50).all(|_| s.select(world.view()) == chosen));
    }
}
