//! All paths in depth-first order, perhaps only those that a policy allows. The sides that wait are states, so nothing is
//! executed twice.

use crate::guide::{Choice, Guide};
use crate::machine::{Left, Machine, NoPath, Trail};
use crate::path::{Decision, Path, Site};
use crate::policy::{History, Policy};
use crate::search::Search;
use forkwise_explore::Random;
use std::rc::Rc;

/// Sides that may wait before memory is looked after.
const BATCH: u64 = 256;

pub(crate) fn run(search: &mut Search<'_>) {
    under_policy(search, None);
}

/// The paths of the search's own machine.
pub(crate) fn under_policy(search: &mut Search<'_>, policy: Option<&Policy>) {
    let mut walk = Walk::new(policy);
    while search.goes_on() {
        let Some(ran) = walk.next(search.machine, &mut search.random) else {
            search.complete();
            return;
        };
        search.took("depth-first", ran);
        if search.statistics.paths.is_multiple_of(BATCH) {
            let waiting = walk.stack.iter().map(|(_, left)| &*left.state);
            // Conditions of decisions before a state are among its own.
            search.machine.tidy(std::iter::empty(), waiting);
        }
    }
}

/// The walk: the sides that wait, the next one last.
pub(crate) struct Walk<'p> {
    stack: Vec<(Rc<[Decision]>, Left)>,
    begun: bool,
    policy: Option<&'p Policy>,
}

/// The last side that is allowed: of a branch the one where its condition does not hold, as in the published engine.
struct Allowed<'p> {
    policy: Option<&'p Policy>,
    history: History,
}

impl Guide for Allowed<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> usize {
        let arms = 0..choice.arms.len();
        let allowed = |i: &usize| is_allowed(self.policy, &self.history, choice.site, choice.arms[*i]);
        arms.filter(allowed).max_by_key(|i| choice.arms[*i]).unwrap_or(0)
    }

    fn took(&mut self, site: Site, arm: u32) {
        self.history.push(site, arm);
    }
}

fn is_allowed(policy: Option<&Policy>, history: &History, site: Site, arm: u32) -> bool {
    policy.is_none_or(|p| p.allows(history, site, arm))
}

impl<'p> Walk<'p> {
    pub fn new(policy: Option<&'p Policy>) -> Walk<'p> {
        Walk { stack: Vec::new(), begun: false, policy }
    }

    /// Runs the next path; `None`: there is none.
    pub fn next(&mut self, machine: &mut Machine, random: &mut Random) -> Option<Result<Path, NoPath>> {
        let length = self.policy.map_or(0, Policy::history);
        let mut trail = Trail::default();
        let ran = if self.begun {
            let (before, left) = self.stack.pop()?;
            let mut guide = Allowed { policy: self.policy, history: History::of(length, &before[..left.at]) };
            trail.decisions = before[..left.at].to_vec();
            machine.run_left(&before, left, &mut guide, Some(&mut trail))
        } else {
            self.begun = true;
            let mut guide = Allowed { policy: self.policy, history: History::new(length) };
            machine.run_fresh(random, &mut guide, Some(&mut trail))
        };
        let decisions: Rc<[Decision]> = trail.decisions.into();
        for left in trail.left {
            let history = History::of(length, &decisions[..left.at.min(decisions.len())]);
            if is_allowed(self.policy, &history, left.site, left.arm) {
                self.stack.push((Rc::clone(&decisions), left));
            }
        }
        Some(ran)
    }
}
