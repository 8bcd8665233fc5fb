//! The parametric heuristic: of the last path the branch with the highest score, a weighted sum of its 40 features; of
//! branches with equal scores the deepest.

use super::{Heuristic, View};
use crate::features::{BranchFeatures, COUNT};
use crate::tree::Step;

/// See the module text.
#[derive(Debug)]
pub struct Parametric {
    weights: [f64; COUNT],
}

impl Parametric {
    /// With a weight for each feature. They must be numbers.
    pub fn new(weights: [f64; COUNT]) -> Parametric {
        Parametric { weights }
    }

    fn score(&self, bits: u64) -> f64 {
        self.weights.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, w)| w).sum()
    }
}

impl Heuristic for Parametric {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        let features = BranchFeatures::new(view);
        let mut best: Option<(f64, Step)> = None;
        for (position, other) in view.candidates().rev() {
            let score = self.score(features.bits(position, other));
            if best.is_none_or(|b| score > b.0) {
                best = Some((score, other));
            }
        }
        best.map(|b| b.1)
    }
}
