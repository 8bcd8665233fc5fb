//! The live screen of a search for the worst input, and its plain line. With several searches side by side, the figures are the first
//! one's, which hears of what the others find.

use super::options::WorstArgs;
use crate::live::Picture;
use crate::live::curve::{Curve, Rates};
use crate::live::panel::{Ink, Panel, clock, short, since, time};
use forkwise_explore::resident_bytes;
use forkwise_worst::{Budget, Moment, Statistics};
use std::time::{Duration, Instant};

/// Advice is not hurried.
const PATIENCE: Duration = Duration::from_secs(120);

/// See the module text.
pub struct Screen {
    size: u64,
    method: String,
    budget: Budget,
    endless: u64,
    memory_limit: Option<u64>,
    begun: Instant,
    curve: Curve,
    /// Paths and runs, queries, seconds in the solver.
    rates: Rates<3>,
    best: Option<u64>,
    statistics: Statistics,
    elapsed: Duration,
    queries: u64,
    solver: Duration,
}

impl Screen {
    /// For a search at this size, 0 if there are no sizes.
    pub fn new(args: &WorstArgs, size: u64) -> Screen {
        let method = match args.jobs() {
            1 => args.method.name().to_string(),
            jobs => format!("{}, {jobs} side by side", args.method.name()),
        };
        Screen {
            size,
            method,
            budget: args.search().budget,
            endless: args.endless,
            memory_limit: args.run.args.max_memory,
            begun: Instant::now(),
            curve: Curve::default(),
            rates: Rates::default(),
            best: None,
            statistics: Statistics::default(),
            elapsed: Duration::ZERO,
            queries: 0,
            solver: Duration::ZERO,
        }
    }

    /// Takes in new figures.
    pub fn update(&mut self, m: &Moment<'_>) {
        self.best = m.best.map(|b| b.cost);
        let s = m.statistics;
        // What raised the cost is of no interest yet, and this is done for every path.
        let Statistics { paths, concrete, infeasible, failed, generations, .. } = *s;
        self.statistics =
            Statistics { paths, concrete, infeasible, failed, generations, ..Statistics::default() };
        self.elapsed = m.elapsed;
        (self.queries, self.solver) = (m.queries, m.solver);
        self.curve.add(m.elapsed, self.best.unwrap_or(0));
    }

    /// Time since the search began, whatever its own clock counts.
    pub fn passed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// What the user should do about how it goes, if anything.
    pub fn advice(&self) -> Option<String> {
        let s = &self.statistics;
        if self.best.is_none() && self.elapsed > PATIENCE / 4 {
            return Some(format!(
                "no path has ended yet: a smaller --size may help, or --endless below {}",
                self.endless
            ));
        }
        if s.failed > 100 && s.failed > s.paths {
            return Some(format!(
                "{} paths failed, more than ended: `forkwise run` says why, forkwise_assume() can leave them out",
                s.failed
            ));
        }
        let idle = self.elapsed.saturating_sub(self.curve.gained().unwrap_or_default());
        if idle > PATIENCE.max(self.elapsed / 2) {
            return Some(format!(
                "no higher cost for {}: Ctrl-C ends the search with what it has; another --seed or --method may find more",
                time(idle)
            ));
        }
        None
    }
}

/// A number of a limit, if there is one.
fn of(n: u64, limit: Option<u64>) -> String {
    match limit {
        Some(limit) => format!("{} of {}", short(n as f64), short(limit as f64)),
        None => short(n as f64),
    }
}

impl Picture for Screen {
    fn panel(&mut self, width: usize) -> Panel {
        let s = &self.statistics;
        let runs = s.paths + s.concrete;
        self.rates.add(self.elapsed, [runs as f64, self.queries as f64, self.solver.as_secs_f64()]);
        let [runs_rate, queries, solving] = self.rates.by_second();
        let mut panel = Panel::default();
        panel.add(clock(self.elapsed, self.budget.time), Ink::Bold);
        if self.size > 0 {
            panel.add(format!("size {}", self.size), Ink::Plain);
        }
        panel.add(self.best.map_or("no path yet".into(), |b| format!("best cost {b}")), Ink::Bold);
        panel.add(self.curve.shown(width), Ink::Good);
        panel.add(since("higher cost", self.elapsed, self.curve.gained()), Ink::Dim);
        match self.budget.paths {
            Some(_) => panel.add(format!("{} paths and runs", of(runs, self.budget.paths)), Ink::Plain),
            None => {
                panel.add(format!("{} paths", short(s.paths as f64)), Ink::Plain);
                panel.add(format!("{} runs", short(s.concrete as f64)), Ink::Plain);
            }
        }
        panel.add(format!("{} a second", short(runs_rate)), Ink::Plain);
        panel.add(format!("{} generations", of(s.generations, self.budget.generations)), Ink::Plain);
        if s.failed > 0 {
            panel.add(format!("{} failed", short(s.failed as f64)), Ink::Bad);
        }
        panel.add(format!("{} infeasible", short(s.infeasible as f64)), Ink::Plain);
        panel.add(format!("{} queries/s", short(queries)), Ink::Plain);
        panel.add(format!("solver {:.0} %", 100.0 * solving.min(1.0)), Ink::Plain);
        panel.add_memory(resident_bytes(), self.memory_limit);
        panel.add(format!("method {}", self.method), Ink::Dim);
        panel.advice = self.advice();
        panel
    }

    fn line(&self) -> String {
        let best = self.best.map_or("no path yet".into(), |b| format!("best cost {b}"));
        let s = &self.statistics;
        let size = if self.size > 0 { format!("size {}, ", self.size) } else { String::new() };
        format!(
            "{:.0} s: {size}{best}, {} paths, {} runs, {} generations, {} queries",
            self.elapsed.as_secs_f64(),
            short(s.paths as f64),
            short(s.concrete as f64),
            s.generations,
            short(self.queries as f64),
        )
    }
}
