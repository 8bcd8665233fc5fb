//! Trials as child processes of this very program. Each has a process group, a folder and limits of its own; it ends with this
//! process, whatever ends this one. What a child does or leaves behind is never an error of the pool, only that
//! children cannot be started or their folders not written.
//!
//! `child` is one process from start to end, `limits` what it may use, `folder` what it left.

mod child;
mod folder;
mod limits;

pub use limits::{Limits, peak_limit};

use crate::backend::{Backend, BackendError, Report};
use crate::outcome::{End, Outcome};
use crate::trial::Trial;
use child::{Child, Ended};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How often a trial is started that somebody else ended.
const ATTEMPTS: u32 = 3;
/// How often running children are looked at: their time and memory.
const LOOK: Duration = Duration::from_millis(100);

/// What a pool is made with.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The program to start: `forkwise`. By default this very one, even if its file is replaced meanwhile.
    pub engine: PathBuf,
    /// Children at the same time.
    pub jobs: usize,
    /// What each may use.
    pub limits: Limits,
    /// A folder that exists, for the folders of running trials.
    pub folder: PathBuf,
}

impl Pool {
    /// This program, with folders of running trials in `folder`.
    pub fn new(folder: &Path, jobs: usize, limits: Limits) -> Pool {
        Pool { engine: "/proc/self/exe".into(), jobs: jobs.max(1), limits, folder: folder.to_path_buf() }
    }
}

/// See the module text. Trials must be submitted by one thread that lives as long as they do: when it ends, they end.
pub struct LocalPool {
    pool: Pool,
    /// Trials, and how often they were started.
    waiting: VecDeque<(Trial, u32)>,
    running: BTreeMap<u64, Child>,
    next: u64,
    sender: Sender<(u64, Ended)>,
    receiver: Receiver<(u64, Ended)>,
    looked: Instant,
}

impl LocalPool {
    /// An empty pool.
    pub fn new(pool: Pool) -> LocalPool {
        let (sender, receiver) = mpsc::channel();
        let (waiting, running) = (VecDeque::new(), BTreeMap::new());
        LocalPool { pool, waiting, running, next: 0, sender, receiver, looked: Instant::now() }
    }

    fn fill(&mut self) -> Result<(), BackendError> {
        while self.running.len() < self.pool.jobs
            && let Some((trial, attempts)) = self.waiting.pop_front()
        {
            self.next += 1;
            // Numbers keep two runs of one trial apart, the process two pools in one folder.
            let name = format!("{}-{}-{}", trial.id(), std::process::id(), self.next);
            let mut child = Child::start(&self.pool, trial, name, self.next, self.sender.clone())?;
            child.attempts = attempts + 1;
            self.running.insert(self.next, child);
        }
        Ok(())
    }

    fn look(&mut self) {
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.running.values_mut().for_each(|child| child.look(&self.pool.limits));
        }
    }
}

impl Backend for LocalPool {
    fn jobs(&self) -> usize {
        self.pool.jobs
    }

    fn submit(&mut self, trial: &Trial) -> Result<(), BackendError> {
        self.waiting.push_back((trial.clone(), 0));
        self.fill()
    }

    fn wait(&mut self, timeout: Duration) -> Result<Option<Report>, BackendError> {
        let deadline = Instant::now() + timeout;
        self.fill()?;
        loop {
            self.look();
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(rest.min(LOOK)) {
                Ok((number, ended)) => {
                    let Some(child) = self.running.remove(&number) else { continue };
                    // Such a trial is not to blame, and what it had is not what it would have had.
                    let again = child.attempts < ATTEMPTS && child.was_ended_by_others(&ended);
                    if again {
                        self.waiting.push_front((child.trial.clone(), child.attempts));
                    }
                    // The next trial begins before this one's results are read.
                    self.fill()?;
                    if again {
                        child.forget();
                        continue;
                    }
                    let id = child.trial.id();
                    return Ok(Some(Report { id, delivery: child.finish(&ended) }));
                }
                Err(RecvTimeoutError::Timeout) if rest > LOOK => {}
                Err(_) => return Ok(None),
            }
        }
    }

    fn cancel(&mut self) {
        self.waiting.clear();
        self.running.values().for_each(Child::kill);
        while !self.running.is_empty() {
            // Killed processes end; the threads that wait for them always send.
            let Ok((number, _)) = self.receiver.recv() else { break };
            if let Some(child) = self.running.remove(&number) {
                child.forget();
            }
        }
    }
}

impl Drop for LocalPool {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Removes what trials of an earlier process left in a folder. Nobody else may be using it.
pub fn clear_folder(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::remove_dir_all(entry?.path())?;
    }
    Ok(())
}

/// An outcome that holds nothing yet.
fn nothing(end: End) -> Outcome {
    Outcome {
        arms: Vec::new(),
        total: 0,
        bugs: Vec::new(),
        tests: 0,
        counters: BTreeMap::new(),
        seconds: 0.0,
        wall: 0.0,
        cpu: 0.0,
        end,
    }
}

#[cfg(test)]
mod tests;
