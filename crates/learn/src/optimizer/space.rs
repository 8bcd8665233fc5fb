//! The space that vectors are sampled from: an interval for each component, narrowed where the two best vectors agree in sign.

use crate::random::Random;

/// See the module text.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    intervals: Vec<(f64, f64)>,
}

impl Space {
    /// From -1 to 1 in each component.
    pub fn new(dimension: usize) -> Space {
        Space { intervals: vec![(-1.0, 1.0); dimension] }
    }

    /// A vector, each component uniform and independent of the others.
    pub fn sample(&self, random: &mut Random) -> Vec<f64> {
        self.intervals.iter().map(|(low, high)| random.between(*low, *high)).collect()
    }

    /// Both positive: from the smaller one to 1. Both negative: from -1 to the larger one. Otherwise as it was. Returns how
    /// many intervals changed.
    pub fn refine(&mut self, first: &[f64], second: &[f64]) -> usize {
        let mut changed = 0;
        for (interval, (a, b)) in self.intervals.iter_mut().zip(first.iter().zip(second)) {
            let old = *interval;
            if *a > 0.0 && *b > 0.0 {
                *interval = (a.min(*b), 1.0);
            } else if *a < 0.0 && *b < 0.0 {
                *interval = (-1.0, a.max(*b));
            }
            changed += usize::from(*interval != old);
        }
        changed
    }

    /// The mean width.
    pub fn width(&self) -> f64 {
        let sum: f64 = self.intervals.iter().map(|(low, high)| high - low).sum();
        sum / self.intervals.len().max(1) as f64
    }

    /// The intervals.
    pub fn intervals(&self) -> &[(f64, f64)] {
        &self.intervals
    }
}
