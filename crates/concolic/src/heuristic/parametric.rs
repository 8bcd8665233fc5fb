//! The parametric heuristic: of the last path the branch with the highest score, a weighted sum of its 40 features; of
//! branches with equal scores the deepest.
//!
//! Scores are computed once for a path. A branch that could not be negated changes what is counted for its own arms, so
//! only branches at the same place in the program are scored again.

use super::{Heuristic, View};
use crate::features::{BranchFeatures, COUNT};
use crate::stats::NO_ARM;
use crate::tree::Step;

/// A branch of the last path that can be negated.
#[derive(Debug)]
struct Candidate {
    position: usize,
    other: Step,
    /// Its branch in the program, [`NO_ARM`] where the program decides without branching.
    branch: u32,
    score: f64,
}

/// See the module text.
#[derive(Debug)]
pub struct Parametric {
    weights: [f64; COUNT],
    features: BranchFeatures,
    /// Deepest first.
    candidates: Vec<Candidate>,
    /// The branch that was chosen last on this path.
    chosen: Option<u32>,
}

impl Parametric {
    /// With a weight for each feature. They must be numbers.
    pub fn new(weights: [f64; COUNT]) -> Parametric {
        Parametric { weights, features: BranchFeatures::default(), candidates: Vec::new(), chosen: None }
    }

    /// The score of a branch with these features.
    pub fn score(weights: &[f64; COUNT], mut bits: u64) -> f64 {
        let mut sum = 0.0;
        while bits != 0 {
            sum += weights[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        sum
    }
}

impl Heuristic for Parametric {
    fn last_path_only(&self) -> bool {
        true
    }

    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        if let Some(branch) = self.chosen.take() {
            for c in self.candidates.iter_mut().filter(|c| c.branch == branch) {
                c.score = Parametric::score(&self.weights, self.features.bits(view, c.position, c.other));
            }
        }
        let mut best = 0;
        for (i, c) in self.candidates.iter().enumerate().skip(1) {
            if c.score > self.candidates[best].score {
                best = i;
            }
        }
        // The order of the rest matters: among equals the deepest is chosen.
        let chosen = (!self.candidates.is_empty()).then(|| self.candidates.remove(best))?;
        self.chosen = Some(chosen.branch);
        Some(chosen.other)
    }

    fn ran(&mut self, view: View<'_>) {
        self.features.read(view);
        self.chosen = None;
        self.candidates.clear();
        for (position, other) in view.candidates().rev() {
            let branch = match self.features.arm(position) {
                NO_ARM => NO_ARM,
                arm => view.stats.facts.branch_of(arm).unwrap_or(NO_ARM),
            };
            let score = Parametric::score(&self.weights, self.features.bits(view, position, other));
            self.candidates.push(Candidate { position, other, branch, score });
        }
    }
}
