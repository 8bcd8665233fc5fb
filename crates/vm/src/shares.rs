//! Limits on the share that one place, or one call path, has in all forks or in all solving (KLEE's
//! `--max-static-…-pct`). A place above its share goes on along its witness instead of forking. Everything here is
//! behind an `Option` that is empty unless a limit was asked for.

use crate::state::State;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::time::{Duration, Instant};

/// The limits, as fractions of everything; 1 is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareLimits {
    /// Of all forks, for a place in the program.
    pub place_forks: f64,
    /// Of all solving time, for a place in the program.
    pub place_solving: f64,
    /// Of all forks, for the calls that lead to a function.
    pub call_path_forks: f64,
    /// Of all solving time, for the calls that lead to a function.
    pub call_path_solving: f64,
    /// Nothing is limited before this time has passed.
    pub delay: Duration,
}

impl ShareLimits {
    /// Is nothing limited?
    pub fn are_off(&self) -> bool {
        [self.place_forks, self.place_solving, self.call_path_forks, self.call_path_solving]
            .iter()
            .all(|share| *share >= 1.0)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    forks: u64,
    nanos: u64,
}

impl Tally {
    fn add(&mut self, forks: u64, nanos: u64) {
        self.forks += forks;
        self.nanos += nanos;
    }

    fn exceeds(&self, all: Tally, forks: f64, solving: f64) -> bool {
        let above = |part: u64, whole: u64, share: f64| share < 1.0 && part as f64 > whole as f64 * share;
        above(self.forks, all.forks, forks) || above(self.nanos, all.nanos, solving)
    }
}

/// What was counted so far. The maps are only looked up, never walked.
#[derive(Debug)]
pub(crate) struct Shares {
    limits: ShareLimits,
    begin: Instant,
    all: Tally,
    places: FxHashMap<(u32, u32), Tally>,
    call_paths: FxHashMap<u64, Tally>,
}

impl Shares {
    pub(crate) fn new(limits: ShareLimits) -> Shares {
        Shares {
            limits,
            begin: Instant::now(),
            all: Tally::default(),
            places: FxHashMap::default(),
            call_paths: FxHashMap::default(),
        }
    }

    /// Has the place of `st`, or the way it was called, used up its share?
    pub(crate) fn used_up(&self, st: &State) -> bool {
        let l = &self.limits;
        if !l.delay.is_zero() && self.begin.elapsed() < l.delay {
            return false;
        }
        let place = self.places.get(&place(st)).copied().unwrap_or_default();
        if place.exceeds(self.all, l.place_forks, l.place_solving) {
            return true;
        }
        let path = self.call_paths.get(&call_path(st)).copied().unwrap_or_default();
        path.exceeds(self.all, l.call_path_forks, l.call_path_solving)
    }

    /// The place of `st` forked so often, and solving took so long.
    pub(crate) fn count(&mut self, st: &State, forks: u64, nanos: u64) {
        self.all.add(forks, nanos);
        self.places.entry(place(st)).or_default().add(forks, nanos);
        self.call_paths.entry(call_path(st)).or_default().add(forks, nanos);
    }
}

fn place(st: &State) -> (u32, u32) {
    (st.frame.func, st.frame.pc)
}

/// The running function and the calls that led to it.
fn call_path(st: &State) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(st.frame.func);
    for f in st.frames().skip(1) {
        hasher.write_u32(f.func);
        hasher.write_u32(f.pc);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_exceeded_only_above_it() {
        let all = Tally { forks: 10, nanos: 1000 };
        let one = Tally { forks: 5, nanos: 600 };
        assert!(!one.exceeds(all, 0.5, 1.0));
        assert!(one.exceeds(all, 0.4, 1.0));
        assert!(one.exceeds(all, 1.0, 0.5));
        assert!(!one.exceeds(all, 1.0, 1.0));
        assert!(!Tally::default().exceeds(Tally::default(), 0.0, 0.0));
    }
}
