//! All trials, some at a time, and how far it is: a bar on a terminal, plain lines elsewhere, nothing with `--quiet`. An
//! interrupt ends what runs and keeps what is finished.

use super::heuristics::Heuristic;
use super::trial::{self, Order, Trial};
use crate::console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(200);
/// Plain lines come this far apart while no trial ends.
const PLAIN_PERIOD: Duration = Duration::from_secs(5);
/// What a trial may take beyond its time: loading, one query, writing.
const GRACE: Duration = Duration::from_secs(120);

/// What came of it.
pub struct Done {
    /// Finished trials, in the order they were asked for.
    pub trials: Vec<Trial>,
    /// Was it ended early?
    pub interrupted: bool,
}

/// Runs all trials, `jobs` at a time. An error is one that every trial would have.
pub fn run(
    orders: &[Order],
    program: &[OsString],
    jobs: usize,
    heuristics: &[Heuristic],
    time: Option<Duration>,
    quiet: bool,
    interrupt: &AtomicBool,
) -> anyhow::Result<Done> {
    let limit = time.map(|t| t.saturating_mul(2).saturating_add(GRACE));
    let next = AtomicUsize::new(0);
    // Set by the first error: the others need not be waited for.
    let stop = AtomicBool::new(false);
    let mut finished: Vec<Option<Trial>> = vec![None; orders.len()];
    let mut error = None;
    let mut progress = Progress::new(orders.len(), jobs.min(orders.len()), quiet);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.min(orders.len()) {
            let (sender, orders, next, stop) = (sender.clone(), orders, &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(order) = orders.get(i) else { break };
                    if sender.send((i, trial::run(order, program, limit, stop))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        loop {
            if interrupt.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            match receiver.recv_timeout(TICK) {
                Ok((i, Ok(trial))) => {
                    if let Some(trial) = &trial {
                        progress.finished(&heuristics[trial.heuristic].name, trial);
                    }
                    finished[i] = trial;
                }
                Ok((_, Err(e))) => {
                    stop.store(true, Ordering::Relaxed);
                    error.get_or_insert(e);
                }
                Err(RecvTimeoutError::Timeout) => progress.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    progress.clear();
    if let Some(error) = error.filter(|_| !interrupt.load(Ordering::Relaxed)) {
        return Err(error);
    }
    // A terminal's Ctrl-C reaches the children, too: one may have ended cleanly before its time.
    let cut_short = |t: &Trial| t.stop == "interrupt";
    let trials: Vec<Trial> = finished.into_iter().flatten().filter(|t| !cut_short(t)).collect();
    let interrupted = trials.len() < orders.len();
    Ok(Done { trials, interrupted })
}

struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    total: usize,
    jobs: usize,
    done: usize,
    begun: Instant,
    next: Duration,
}

impl Progress {
    fn new(total: usize, jobs: usize, quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(total as u64), target);
            if let Ok(style) =
                ProgressStyle::with_template("{elapsed} [{bar:30}] {pos}/{len} trials {wide_msg}")
            {
                bar.set_style(style);
            }
            bar
        });
        let plain = !quiet && !terminal;
        Progress { bar, plain, total, jobs, done: 0, begun: Instant::now(), next: PLAIN_PERIOD }
    }

    fn finished(&mut self, name: &str, trial: &Trial) {
        self.done += 1;
        let trouble = trial.trouble.as_ref().map_or(String::new(), |t| format!(" ({t})"));
        let (branches, bugs) = (trial.arms.len(), trial.bugs.len());
        let text = format!("{name}, seed {}: {branches} branches, {bugs} bugs{trouble}", trial.seed);
        if let Some(bar) = &self.bar {
            if trial.trouble.is_some() {
                bar.suspend(|| console::err_line(&format!("forkwise: {text}")));
            }
            bar.inc(1);
            bar.set_message(text.clone());
        }
        if self.plain {
            console::err_line(&format!("forkwise: trial {}/{}: {text}", self.done, self.total));
            self.next = self.begun.elapsed() + PLAIN_PERIOD;
        }
    }

    fn tick(&mut self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
        let elapsed = self.begun.elapsed();
        if self.plain && elapsed >= self.next {
            self.next = elapsed + PLAIN_PERIOD;
            let running = self.jobs.min(self.total - self.done);
            console::err_line(&format!(
                "forkwise: {:.0} s: {} of {} trials finished, {running} running",
                elapsed.as_secs_f64(),
                self.done,
                self.total
            ));
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
