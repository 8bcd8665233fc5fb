//! One search for the worst input: the machine, the budget, the best so far and what was counted. Methods run paths
//! through it and ask it whether to go on. The best input is always confirmed by a run in which nothing is symbolic, so
//! that the reported cost is the one that anybody measures who runs it again.

use crate::machine::{Machine, NoPath};
use crate::path::{Path, Values};
use crate::{auto, dfs, dynamic, ese, random, wise};
use forkwise_explore::Random;
use forkwise_vm::Termination;
use std::time::{Duration, Instant};

/// How the worst input is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Policies, flips of single decisions, evolution and concrete mutations, whichever pays off.
    #[default]
    Auto,
    /// Evolutionary symbolic execution, as published.
    Ese,
    /// Random paths.
    Random,
    /// All paths in depth-first order.
    Dfs,
    /// The worst path of small sizes as a policy.
    Wise,
    /// The same with histories of decisions.
    SpfWca,
    /// A genetic algorithm on inputs.
    Dynamic,
}

impl Method {
    /// All of them, by name.
    pub const ALL: [(&'static str, Method); 7] = [
        ("auto", Method::Auto),
        ("ese", Method::Ese),
        ("random", Method::Random),
        ("dfs", Method::Dfs),
        ("wise", Method::Wise),
        ("spf-wca", Method::SpfWca),
        ("dynamic", Method::Dynamic),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|m| m.1 == self).map_or("", |m| m.0)
    }
}

/// When a search stops; `None` is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// Wall time.
    pub time: Option<Duration>,
    /// Paths, runs on given inputs included.
    pub paths: Option<u64>,
    /// Generations, of methods that have them.
    pub generations: Option<u64>,
}

/// Parameters; the defaults are those of the paper's table IV.
#[derive(Clone, Debug)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// The budget.
    pub budget: Budget,
    /// Seed of everything random.
    pub seed: u64,
    /// Individuals.
    pub population: usize,
    /// Individuals that survive because they cost most.
    pub elite: usize,
    /// Probability of a mutation.
    pub mutation: f64,
    /// Generations from one local search to the next.
    pub local_period: u64,
    /// Attempts of a local search.
    pub local_attempts: u64,
    /// Decisions before one that a policy of `spf-wca` looks at.
    pub history: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            method: Method::default(),
            budget: Budget::default(),
            seed: 0,
            population: 50,
            elite: 5,
            mutation: 0.2,
            local_period: 10,
            local_attempts: 25,
            history: 1,
        }
    }
}

/// Machines for the same program with inputs of other sizes.
pub trait Sizes {
    /// One of them; `Err` says why there is none.
    fn machine(&mut self, size: u64) -> Result<Machine, String>;
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All paths were run, or nothing could be better.
    Complete,
    /// The time limit.
    Time,
    /// The limit of paths.
    Paths,
    /// The limit of generations.
    Generations,
    /// The user.
    Interrupt,
    /// An input on which the program does not end within the limit of a path: nothing is worse.
    Endless,
}

impl Stop {
    /// The name in machine output.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Complete => "complete",
            Stop::Time => "time",
            Stop::Paths => "paths",
            Stop::Generations => "generations",
            Stop::Interrupt => "interrupt",
            Stop::Endless => "endless",
        }
    }
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Paths that were run to their end.
    pub paths: u64,
    /// Runs on given inputs.
    pub concrete: u64,
    /// Attempts that no input could take.
    pub infeasible: u64,
    /// Paths that failed.
    pub failed: u64,
    /// Generations.
    pub generations: u64,
    /// What raised the best cost, and how often.
    pub gains: Vec<(&'static str, u64)>,
}

/// The best so far.
#[derive(Clone, Debug)]
pub struct Best {
    /// Its cost.
    pub cost: u64,
    /// The input.
    pub values: Values,
    /// Since the start.
    pub seconds: f64,
    /// Paths and runs until then.
    pub paths: u64,
}

/// The search at a moment.
pub struct Moment<'a> {
    /// The best so far.
    pub best: Option<&'a Best>,
    /// What was counted.
    pub statistics: &'a Statistics,
    /// Since the start.
    pub elapsed: Duration,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The worst input; `None` when no path ends well.
    pub best: Option<Best>,
    /// What was counted.
    pub statistics: Statistics,
    /// Why it stopped.
    pub stop: Stop,
    /// How long it took.
    pub elapsed: Duration,
    /// The input on which the program does not end within the limit.
    pub endless: Option<Values>,
    /// Paths that failed, and how the first of them did.
    pub failures: (u64, Option<Termination>),
    /// Did any path decide anything by its input?
    pub branches: bool,
    /// Mean cost of random inputs.
    pub typical: Option<f64>,
    /// Queries to the solver.
    pub solver_calls: u64,
    /// Questions about the order of inputs, which need no solver.
    pub ordered: u64,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// A machine of another size could not be had.
    #[error("the program cannot be had with inputs of size {0}: {1}")]
    Size(u64, String),
}

/// See the module text.
pub struct Search<'a> {
    /// The machine for the wanted size.
    pub machine: &'a mut Machine,
    /// Machines for others, if there are any.
    pub sizes: Option<&'a mut dyn Sizes>,
    /// The wanted size.
    pub size: u64,
    /// Parameters.
    pub options: Options,
    /// All that is random.
    pub random: Random,
    /// What was counted.
    pub statistics: Statistics,
    best: Option<Best>,
    endless: Option<Values>,
    branches: bool,
    notes: Vec<String>,
    start: Instant,
    stop: Option<Stop>,
    watch: &'a mut dyn FnMut(&Moment<'_>),
}

/// Random inputs that say what is typical.
const TYPICAL: u64 = 30;
/// Paths that may fail in a row before a method gives up on finding one that does not.
pub(crate) const HOPELESS: u64 = 500;

/// Looks for the worst input.
pub fn find<'a>(
    machine: &'a mut Machine,
    sizes: Option<&'a mut dyn Sizes>,
    size: u64,
    options: &Options,
    watch: &'a mut dyn FnMut(&Moment<'_>),
) -> Result<Answer, SearchError> {
    let start = Instant::now();
    machine.set_deadline(options.budget.time.map(|t| start + t));
    let mut search = Search {
        machine,
        sizes,
        size,
        options: options.clone(),
        random: Random::new(options.seed),
        statistics: Statistics::default(),
        best: None,
        endless: None,
        branches: false,
        notes: Vec::new(),
        start,
        stop: None,
        watch,
    };
    search.only_path();
    if search.goes_on() {
        match options.method {
            Method::Auto => auto::run(&mut search)?,
            Method::Ese => ese::run(&mut search),
            Method::Random => random::run(&mut search),
            Method::Dfs => dfs::run(&mut search),
            Method::Wise => wise::run(&mut search, 0)?,
            Method::SpfWca => wise::run(&mut search, options.history)?,
            Method::Dynamic => dynamic::run(&mut search),
        }
    }
    Ok(search.finish())
}

impl Search<'_> {
    /// The first path. Where it meets no decision there is no other.
    fn only_path(&mut self) {
        let mut random = self.random.split();
        let ran = self.machine.run_fresh(&mut random, &mut crate::guide::Follow, None);
        let path = self.took("first", ran);
        if path.is_some_and(|p| p.decisions.is_empty()) {
            self.stop = Some(Stop::Complete);
        }
    }

    /// Shall it go on?
    pub fn goes_on(&mut self) -> bool {
        if self.stop.is_some() {
            return false;
        }
        let budget = &self.options.budget;
        let runs = self.statistics.paths + self.statistics.concrete;
        self.stop = if self.machine.is_over() {
            let out_of_time = budget.time.is_some_and(|t| self.start.elapsed() >= t);
            Some(if out_of_time { Stop::Time } else { Stop::Interrupt })
        } else if budget.paths.is_some_and(|n| runs >= n) {
            Some(Stop::Paths)
        } else if budget.generations.is_some_and(|n| self.statistics.generations >= n) {
            Some(Stop::Generations)
        } else {
            None
        };
        self.stop.is_none()
    }

    /// There is nothing left to try.
    pub fn complete(&mut self) {
        self.stop.get_or_insert(Stop::Complete);
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The best so far.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// Something the user should know.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// A path was run, by something with this name; returns it if it is an individual.
    pub fn took(&mut self, by: &'static str, ran: Result<Path, NoPath>) -> Option<Path> {
        let path = match ran {
            Ok(path) => path,
            Err(NoPath::Infeasible) => {
                self.statistics.infeasible += 1;
                return None;
            }
            Err(NoPath::Failed(_)) => {
                self.statistics.failed += 1;
                return None;
            }
            Err(NoPath::Endless(values)) => {
                self.statistics.paths += 1;
                self.endless.get_or_insert(values);
                self.stop.get_or_insert(Stop::Endless);
                return None;
            }
            Err(NoPath::Interrupted) => return None,
        };
        self.statistics.paths += 1;
        self.branches |= !path.decisions.is_empty();
        if self.best.as_ref().is_none_or(|b| path.cost > b.cost) {
            match self.machine.concrete(&path.values) {
                Ok(run) => self.better(by, run.cost, &path.values),
                Err(NoPath::Endless(values)) => {
                    self.endless.get_or_insert(values);
                    self.stop.get_or_insert(Stop::Endless);
                }
                Err(_) => {}
            }
        }
        self.tell();
        Some(path)
    }

    /// Runs an input; its cost, if it is one that the program accepts and ends on.
    pub fn try_input(&mut self, by: &'static str, values: &Values) -> Option<u64> {
        self.statistics.concrete += 1;
        match self.machine.concrete(values) {
            Ok(run) => {
                self.better(by, run.cost, values);
                if self.statistics.concrete.is_multiple_of(64) {
                    self.tell();
                }
                Some(run.cost)
            }
            Err(NoPath::Endless(values)) => {
                self.endless.get_or_insert(values);
                self.stop.get_or_insert(Stop::Endless);
                None
            }
            Err(NoPath::Infeasible) => {
                self.statistics.infeasible += 1;
                None
            }
            Err(NoPath::Failed(_)) => {
                self.statistics.failed += 1;
                None
            }
            Err(NoPath::Interrupted) => None,
        }
    }

    fn better(&mut self, by: &'static str, cost: u64, values: &Values) {
        if self.best.as_ref().is_some_and(|b| cost <= b.cost) {
            return;
        }
        let paths = self.statistics.paths + self.statistics.concrete;
        let seconds = self.start.elapsed().as_secs_f64();
        self.best = Some(Best { cost, values: values.clone(), seconds, paths });
        let gains = &mut self.statistics.gains;
        match gains.iter_mut().find(|g| g.0 == by) {
            Some(gain) => gain.1 += 1,
            None => gains.push((by, 1)),
        }
    }

    /// A generation is over.
    pub fn generation(&mut self) {
        self.statistics.generations += 1;
        self.tell();
    }

    fn tell(&mut self) {
        (self.watch)(&Moment {
            best: self.best.as_ref(),
            statistics: &self.statistics,
            elapsed: self.start.elapsed(),
        });
    }

    fn finish(mut self) -> Answer {
        let elapsed = self.start.elapsed();
        let (solver_calls, ordered) = (self.machine.vm.solver.stats().queries, self.machine.ordered);
        // What a typical input costs is worth a moment beyond the limit.
        self.machine.set_deadline(Some(Instant::now() + Duration::from_secs(5)));
        let typical = if self.best.is_some() { self.typical() } else { None };
        self.machine.set_deadline(None);
        Answer {
            best: self.best,
            statistics: self.statistics,
            stop: self.stop.unwrap_or(Stop::Complete),
            elapsed,
            endless: self.endless,
            failures: std::mem::take(&mut self.machine.failures),
            branches: self.branches,
            typical,
            solver_calls,
            ordered,
            notes: self.notes,
        }
    }

    /// The mean cost of random inputs that the program ends on.
    fn typical(&mut self) -> Option<f64> {
        let mut random = Random::new(self.options.seed ^ 0x7479_7069_6361_6c21);
        let (mut sum, mut n) = (0u64, 0u64);
        for _ in 0..TYPICAL {
            let ran = self.machine.run_fresh(&mut random, &mut crate::guide::Follow, None);
            if let Ok(path) = ran
                && let Ok(run) = self.machine.concrete(&path.values)
            {
                (sum, n) = (sum + run.cost, n + 1);
            }
        }
        (n > 0).then(|| sum as f64 / n as f64)
    }
}
