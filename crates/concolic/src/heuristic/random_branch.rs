//! A branch of the last path, each with the same chance.

use super::{Heuristic, View};
use crate::tree::Step;
use forkwise_explore::Random;

/// See the module text.
#[derive(Debug)]
pub struct RandomBranch {
    random: Random,
}

impl RandomBranch {
    /// One that draws from `random`.
    pub fn new(random: Random) -> RandomBranch {
        RandomBranch { random }
    }
}

impl Heuristic for RandomBranch {
    fn last_path_only(&self) -> bool {
        true
    }

    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        let n = view.candidates().count();
        (n > 0)
            .then(|| self.random.below(n as u64) as usize)
            .and_then(|i| view.candidates().nth(i))
            .map(|c| c.1)
    }
}
