//! One search for the worst input: the machine, the budget, the best so far and what was counted. Methods run paths
//! through it and ask it whether to go on. The best input is always confirmed by a run in which nothing is symbolic, so
//! that the reported cost is the one that anybody measures who runs it again.

use crate::machine::{Machine, NoPath};
use crate::options::{Method, Options, Stop};
use crate::path::{Path, Values};
use crate::peers::{Member, Word};
use crate::{auto, dfs, dynamic, ese, random, wise};
use forkwise_explore::Random;
use forkwise_vm::Termination;
use std::time::Duration;

/// Machines for the same program with inputs of other sizes.
pub trait Sizes {
    /// One of them; `Err` says why there is none.
    fn machine(&mut self, size: u64) -> Result<Machine, String>;
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
    /// Questions to the solver chain.
    pub queries: u64,
    /// Time it took.
    pub solver: Duration,
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

impl Answer {
    /// The answer of several searches for the same: the best of all, of equals the first one's, and all that was counted.
    pub fn together(self, other: Answer) -> Answer {
        let (mut one, two) = (self, other);
        // A program that decides nothing has one path, whoever runs it.
        if one.stop == Stop::Complete && !one.branches && one.best.is_some() {
            return one;
        }
        let cost = |a: &Answer| a.best.as_ref().map(|b| b.cost);
        if cost(&two) > cost(&one) {
            one.best = two.best;
        }
        if one.stop != Stop::Endless && (two.stop == Stop::Endless || one.stop == Stop::Complete) {
            one.stop = two.stop;
        }
        one.endless = one.endless.or(two.endless);
        one.elapsed = one.elapsed.max(two.elapsed);
        one.statistics.add(&two.statistics);
        one.failures = (one.failures.0 + two.failures.0, one.failures.1.or(two.failures.1));
        one.branches |= two.branches;
        one.typical = one.typical.or(two.typical);
        one.solver_calls += two.solver_calls;
        one.ordered += two.ordered;
        one
    }
}

impl Statistics {
    fn add(&mut self, other: &Statistics) {
        self.paths += other.paths;
        self.concrete += other.concrete;
        self.infeasible += other.infeasible;
        self.failed += other.failed;
        self.generations += other.generations;
        for (by, n) in &other.gains {
            self.gained(by, *n);
        }
    }

    fn gained(&mut self, by: &'static str, times: u64) {
        match self.gains.iter_mut().find(|g| g.0 == by) {
            Some(gain) => gain.1 += times,
            None => self.gains.push((by, times)),
        }
    }
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
    /// Other searches for the same, and the work after which they are met next.
    peers: Option<(Member, u64)>,
    /// Work that machines for other sizes did.
    pub elsewhere: u64,
    best: Option<Best>,
    endless: Option<Values>,
    branches: bool,
    notes: Vec<String>,
    start: Duration,
    stop: Option<Stop>,
    watch: &'a mut dyn FnMut(&Moment<'_>),
}

/// Random inputs that say what is typical.
const TYPICAL: u64 = 30;
/// Paths that may fail in a row before a method gives up on finding one that does not.
pub(crate) const HOPELESS: u64 = 500;
/// Work between two meetings of searches, about a quarter of a second.
const MEETING: u64 = 250_000_000;

/// Looks for the worst input. A `member` of a meeting searches with a seed of its own and a share of the budget's paths.
pub fn find<'a>(
    machine: &'a mut Machine,
    sizes: Option<&'a mut dyn Sizes>,
    size: u64,
    options: &Options,
    member: Option<Member>,
    watch: &'a mut dyn FnMut(&Moment<'_>),
) -> Result<Answer, SearchError> {
    let start = options.clock.now();
    machine.set_deadline(options.clock, options.budget.time.map(|t| start + t));
    let mut random = Random::new(options.seed);
    let mut options = options.clone();
    if let Some(member) = &member {
        (0..member.number()).for_each(|_| random = random.split());
        options.budget.paths = options.budget.paths.map(|n| n.div_ceil(member.members() as u64));
    }
    let method = options.method;
    let history = options.history;
    let mut search = Search {
        machine,
        sizes,
        size,
        options,
        random,
        statistics: Statistics::default(),
        peers: member.map(|m| (m, MEETING)),
        elsewhere: 0,
        best: None,
        endless: None,
        branches: false,
        notes: Vec::new(),
        start,
        stop: None,
        watch,
    };
    let first = search.first_path();
    if search.goes_on() {
        match method {
            Method::Auto => auto::run(&mut search, first)?,
            Method::Ese => ese::run(&mut search),
            Method::Random => random::run(&mut search),
            Method::Dfs => dfs::run(&mut search),
            Method::Wise => wise::run(&mut search, 0)?,
            Method::SpfWca => wise::run(&mut search, history)?,
            Method::Dynamic => dynamic::run(&mut search),
        }
    }
    Ok(search.finish())
}

impl Search<'_> {
    /// The first path, on a random input. Where it meets no decision there is no other. The published methods choose all
    /// their paths themselves: for them it is no candidate.
    fn first_path(&mut self) -> Option<Path> {
        let mut random = self.random.split();
        let ran = self.machine.run_fresh(&mut random, &mut crate::guide::Follow, None);
        let is_only = |path: &Path| path.decisions.is_empty();
        let is_candidate = matches!(self.options.method, Method::Auto | Method::Dynamic);
        if !is_candidate && ran.as_ref().is_ok_and(|path| !is_only(path)) {
            return None;
        }
        let path = self.took("first", ran);
        if path.as_ref().is_some_and(is_only) {
            self.stop = Some(Stop::Complete);
        }
        path
    }

    /// Shall it go on?
    pub fn goes_on(&mut self) -> bool {
        if self.stop.is_some() {
            return false;
        }
        let budget = &self.options.budget;
        let runs = self.statistics.paths + self.statistics.concrete;
        self.stop = if self.machine.is_over() {
            let out_of_time = budget.time.is_some_and(|t| self.elapsed() >= t);
            Some(if out_of_time { Stop::Time } else { Stop::Interrupt })
        } else if budget.paths.is_some_and(|n| runs >= n) {
            Some(Stop::Paths)
        } else if self.options.target.is_some_and(|t| self.best.as_ref().is_some_and(|b| b.cost >= t)) {
            Some(Stop::Target)
        } else if budget.generations.is_some_and(|n| self.statistics.generations >= n) {
            Some(Stop::Generations)
        } else {
            None
        };
        self.stop.is_none()
    }

    /// Meets the other searches if it is time for it; their best input where it is better than this one's.
    pub fn meet(&mut self) -> Option<(u64, Values)> {
        let (member, next) = self.peers.as_mut()?;
        let mut heard = None;
        while self.machine.work() + self.elsewhere >= *next && self.stop.is_none() {
            *next += MEETING;
            let word = Word { best: self.best.as_ref().map(|b| (b.cost, b.values.clone())), done: false };
            let machine = &self.machine;
            let Some(all) = member.meet(word, || machine.is_over()) else { break };
            if all.done {
                self.stop = Some(Stop::Target);
            }
            heard = all.best;
        }
        heard.filter(|(cost, _)| self.best.as_ref().is_none_or(|b| *cost > b.cost))
    }

    /// Work so far: the machine's, and that of others for smaller sizes.
    pub fn work(&self) -> u64 {
        self.machine.work() + self.elsewhere
    }

    /// There is nothing left to try.
    pub fn complete(&mut self) {
        self.stop.get_or_insert(Stop::Complete);
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        self.options.clock.now().saturating_sub(self.start)
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
        let seconds = self.elapsed().as_secs_f64();
        self.best = Some(Best { cost, values: values.clone(), seconds, paths });
        self.statistics.gained(by, 1);
    }

    /// A generation is over.
    pub fn generation(&mut self) {
        self.statistics.generations += 1;
        self.tell();
    }

    fn tell(&mut self) {
        let elapsed = self.elapsed();
        let solver = self.machine.vm.solver.stats();
        (self.watch)(&Moment {
            best: self.best.as_ref(),
            statistics: &self.statistics,
            elapsed,
            queries: solver.queries,
            solver: Duration::from_nanos(solver.nanos),
        });
    }

    fn finish(mut self) -> Answer {
        let elapsed = self.elapsed();
        let is_first = self.peers.as_ref().is_none_or(|(m, _)| m.number() == 0);
        if let Some((member, _)) = self.peers.take() {
            let done = matches!(self.stop, Some(Stop::Target | Stop::Endless));
            member.leave(Word { best: self.best.as_ref().map(|b| (b.cost, b.values.clone())), done });
        }
        let (solver_calls, ordered) = (self.machine.vm.solver.stats().queries, self.machine.ordered);
        // What a typical input costs is worth a moment beyond the limit.
        let clock = self.options.clock;
        self.machine.set_deadline(clock, Some(clock.now() + Duration::from_secs(5)));
        let typical = if self.best.is_some() && is_first { self.typical() } else { None };
        self.machine.set_deadline(clock, None);
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
