//! Who chooses the side of a branch while a path runs. A guide wishes; what it wishes for is taken if an input exists
//! that goes there. It never sees expressions or states.

use crate::path::Site;
use forkwise_explore::Random;

/// A decision to be made.
pub struct Choice<'a> {
    /// Where.
    pub site: Site,
    /// The arms; the first is the one that the path's witness takes, which needs no solver.
    pub arms: &'a [u32],
    /// How many decisions the path has made before.
    pub depth: usize,
}

/// See the module text.
pub trait Guide {
    /// The index of the arm it wishes for.
    fn choose(&mut self, choice: &Choice<'_>) -> usize;

    /// The arm that was taken.
    fn took(&mut self, site: Site, arm: u32) {
        let _ = (site, arm);
    }
}

/// Every feasible side with the same probability. Drawing a side first and asking whether it is feasible afterwards gives
/// the same distribution as asking for all of them, at half the queries.
pub struct Coin<'a>(pub &'a mut Random);

impl Guide for Coin<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> usize {
        self.0.below(choice.arms.len() as u64) as usize
    }
}

/// The side that the witness takes: no solver is needed.
pub struct Follow;

impl Guide for Follow {
    fn choose(&mut self, _: &Choice<'_>) -> usize {
        0
    }
}
