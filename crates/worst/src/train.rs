//! Wishes for smaller sizes: hill climbing at an eighth, a quarter and half of the size, one after the other, each beginning
//! with what the one before found. Regular worst cases look the same at every size, and a path of a small one costs
//! little. It does a little at a time and never more than it is asked for.

use crate::auto::patience_time;
use crate::climb::Climb;
use crate::machine::Machine;
use crate::policy::{Wishes, Wishing};
use crate::search::{Search, SearchError};
use forkwise_explore::Random;

/// Sizes below this are not worth training on.
const SMALLEST: u64 = 4;
/// A size is done with after this many paths, or this many that gained nothing.
const PATHS: u64 = 600;
const IN_VAIN: u64 = 100;
/// Work of a turn, of making a program of another size, and of the questions of a path.
const TURN: u64 = 20_000_000;
const MAKING: u64 = 100_000_000;
const PATIENCE: u64 = 50_000_000;

/// See the module text.
pub(crate) struct Training {
    /// Those to come, the next last.
    sizes: Vec<u64>,
    machine: Option<Machine>,
    climb: Climb,
    random: Random,
    paths: u64,
    in_vain: u64,
    /// Paths that may still be run.
    left: u64,
}

impl Training {
    /// For a search.
    pub fn new(search: &mut Search<'_>) -> Training {
        let n = if search.sizes.is_some() { search.size } else { 0 };
        let mut sizes: Vec<u64> = [n / 2, n / 4, n / 8].into_iter().filter(|s| *s >= SMALLEST).collect();
        sizes.dedup();
        Training {
            sizes,
            machine: None,
            climb: Climb::default(),
            random: search.random.split(),
            paths: 0,
            in_vain: 0,
            left: search.options.budget.paths.map_or(u64::MAX, |n| n / 4),
        }
    }

    /// Is there nothing left to learn?
    pub fn is_over(&self) -> bool {
        self.left == 0 || (self.machine.is_none() && self.sizes.is_empty())
    }

    /// Trains for a while. Returns wishes when a size is done with.
    pub fn turn(&mut self, search: &mut Search<'_>) -> Result<Vec<Wishes>, SearchError> {
        if self.machine.is_none() {
            let Some(size) = self.sizes.pop() else { return Ok(Vec::new()) };
            let Some(sizes) = search.sizes.as_mut() else { return Ok(Vec::new()) };
            let mut machine = sizes.machine(size).map_err(|why| SearchError::Size(size, why))?;
            machine.patience = PATIENCE;
            machine.patience_time = patience_time(&search.options.budget);
            let left = search.options.budget.time.map(|t| t.saturating_sub(search.elapsed()));
            let clock = search.options.clock;
            machine.set_deadline(clock, left.map(|left| clock.now() + left));
            search.elsewhere += MAKING;
            self.machine = Some(machine);
        }
        let Some(machine) = self.machine.as_mut() else { return Ok(Vec::new()) };
        let begin = machine.work();
        while machine.work() - begin < TURN && self.left > 0 && self.paths < PATHS && self.in_vain < IN_VAIN {
            if machine.is_over() {
                break;
            }
            let before = self.climb.cost();
            let wishes = self.climb.propose(&mut self.random);
            let mut guide = Wishing::new(&wishes, &[]);
            let ran = match self.climb.base() {
                Some(base) => machine.run_from(base, &mut self.random, &mut guide, None),
                None => machine.run_fresh(&mut self.random, &mut guide, None),
            };
            let met = guide.met;
            self.climb.learn(&wishes, met, ran.ok());
            self.in_vain = if self.climb.cost() > before { 0 } else { self.in_vain + 1 };
            self.paths += 1;
            self.left -= 1;
            search.statistics.paths += 1;
        }
        search.elsewhere += machine.work() - begin;
        machine.tidy(std::iter::empty(), std::iter::empty());
        if self.left > 0 && self.paths < PATHS && self.in_vain < IN_VAIN {
            return Ok(Vec::new());
        }
        // The next size begins with what this one has found; paths mean nothing to another machine.
        (self.machine, self.paths, self.in_vain) = (None, 0, 0);
        let learnt = std::mem::take(&mut self.climb).best();
        self.climb.suggest(learnt.clone());
        Ok(learnt)
    }
}
