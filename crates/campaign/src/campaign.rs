//! A backend and a store together: trials that were run before are answered at once, the others are run, and what comes
//! of them is kept before anybody hears of it. An interrupt stops what runs; that is as if it had never begun.

use crate::backend::{Backend, BackendError};
use crate::outcome::{End, Outcome};
use crate::store::{News, Store, StoreError};
use crate::trial::{RunId, Trial};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How often the interrupt flag is looked at and progress is told.
const TICK: Duration = Duration::from_millis(100);

/// Why a campaign cannot go on.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// Its store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its backend.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A trial that could not begin, as none like it could.
    #[error("a trial could not begin: {0}")]
    NotBegun(String),
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Trials of the batch that are done, those of earlier processes included.
    pub done: usize,
    /// Trials that run now.
    pub running: usize,
    /// Trials of the batch.
    pub total: usize,
    /// Arms that any trial of the campaign took.
    pub union: usize,
}

/// What happens while a batch runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A trial is done: its place in the batch, what came of it, what was new, and whether it was done before.
    Done(usize, &'a Trial, &'a Outcome, News, bool),
    /// Time passes.
    Tick,
}

/// What came of a batch.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// What came of each trial, in the order they were asked for; `None`: it was not run.
    pub outcomes: Vec<Option<Outcome>>,
    /// Was it interrupted?
    pub interrupted: bool,
    /// Did its time end first?
    pub expired: bool,
}

/// See the module text.
pub struct Campaign {
    store: Store,
    backend: Box<dyn Backend>,
    interrupt: Arc<AtomicBool>,
    /// Is a trial that cannot begin an error, or an outcome without coverage?
    pub bad_trials_are_errors: bool,
}

impl Campaign {
    /// From its parts. When `interrupt` is set, the running batch ends.
    pub fn new(store: Store, backend: Box<dyn Backend>, interrupt: Arc<AtomicBool>) -> Campaign {
        Campaign { store, backend, interrupt, bad_trials_are_errors: true }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store, for settings.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Trials at the same time.
    pub fn jobs(&self) -> usize {
        self.backend.jobs()
    }

    /// Was it interrupted?
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Runs trials; after `deadline` none begins, and those that run are stopped. `watch` sees what happens. Trials that were
    /// run before cost nothing, whatever the time.
    pub fn run(
        &mut self,
        trials: &[Trial],
        deadline: Option<Instant>,
        watch: &mut dyn FnMut(&Event<'_>, &Moment),
    ) -> Result<Batch, CampaignError> {
        let result = self.try_run(trials, deadline, watch);
        if result.is_err() {
            self.backend.cancel();
        }
        result
    }

    /// A full disk is one error, whoever meets it.
    fn explain(&self, error: BackendError) -> CampaignError {
        match error {
            BackendError::Files { path, source } if path.starts_with(self.store.folder()) => {
                StoreError::of_file(self.store.folder(), &path, source).into()
            }
            other => other.into(),
        }
    }

    fn try_run(
        &mut self,
        trials: &[Trial],
        deadline: Option<Instant>,
        watch: &mut dyn FnMut(&Event<'_>, &Moment),
    ) -> Result<Batch, CampaignError> {
        let mut batch = Batch { outcomes: vec![None; trials.len()], ..Batch::default() };
        let mut moment = Moment { total: trials.len(), union: self.store.union().len(), ..Moment::default() };
        // Equal trials are one run.
        let mut places: BTreeMap<RunId, Vec<usize>> = BTreeMap::new();
        let mut todo: Vec<usize> = Vec::new();
        for (i, trial) in trials.iter().enumerate() {
            let id = trial.id();
            if let Some(outcome) = self.store.outcome(&id)? {
                moment.done += 1;
                watch(&Event::Done(i, trial, &outcome, News::default(), true), &moment);
                batch.outcomes[i] = Some(outcome);
                continue;
            }
            let same = places.entry(id).or_default();
            if same.is_empty() {
                todo.push(i);
            }
            same.push(i);
        }
        let mut todo = todo.into_iter();
        let mut running = 0;
        loop {
            batch.interrupted = self.interrupted();
            batch.expired = deadline.is_some_and(|d| Instant::now() >= d) && moment.done < moment.total;
            if batch.interrupted || batch.expired {
                self.backend.cancel();
                return Ok(batch);
            }
            // One more than can run: the next begins while a result is read.
            while running <= self.backend.jobs()
                && let Some(i) = todo.next()
            {
                self.backend.submit(&trials[i]).map_err(|e| self.explain(e))?;
                running += 1;
            }
            if running == 0 {
                return Ok(batch);
            }
            moment.running = running.min(self.backend.jobs());
            let Some(report) = self.backend.wait(TICK).map_err(|e| self.explain(e))? else {
                watch(&Event::Tick, &moment);
                continue;
            };
            let Some(same) = places.remove(&report.id) else { continue };
            running -= 1;
            moment.running = (running + todo.len()).min(self.backend.jobs());
            // An interrupt from a terminal may have ended the trial, too: it is not what it would have been.
            if self.interrupted() {
                continue;
            }
            let outcome = &report.delivery.outcome;
            // Is it the trial that is in trouble, or all of us?
            if let End::NotBegun(why) | End::Crashed(why) = &outcome.end {
                if lacks_space(why) {
                    return Err(StoreError::Full(self.store.folder().to_path_buf()).into());
                }
                self.store.check_space()?;
            }
            if let (End::NotBegun(why), true) = (&outcome.end, self.bad_trials_are_errors) {
                return Err(CampaignError::NotBegun(why.clone()));
            }
            let mut news = self.store.keep(&trials[same[0]], &report.delivery)?;
            moment.union = self.store.union().len();
            for i in same {
                moment.done += 1;
                watch(&Event::Done(i, &trials[i], outcome, news, false), &moment);
                news = News::default();
                batch.outcomes[i] = Some(outcome.clone());
            }
        }
    }
}

/// Does a trial that died say that it could not write? When its folder is gone, there may be space again.
fn lacks_space(why: &str) -> bool {
    [libc::ENOSPC, libc::EDQUOT, libc::EFBIG].iter().any(|code| why.contains(&format!("(os error {code})")))
}

#[cfg(test)]
mod tests;
