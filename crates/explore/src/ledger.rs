//! The books of an exploration, whatever its mode: limits and when they end it, what was counted, distinct bugs, what
//! was left out. Ended paths pass through here on their way to the [`Sink`]. It never chooses what runs.

use crate::bugs::{Bugs, Sighting};
use crate::limits::{Counters, LeftOut, Limits, StopReason};
use crate::memory::resident_bytes;
use crate::record::Record;
use forkwise_vm::{State, Termination, Vm};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the memory use is looked at, and how often the sink hears of progress.
const MEMORY_PERIOD: Duration = Duration::from_millis(25);
const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// What the end of a path means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathClass {
    /// The program exited.
    Exit,
    /// The program is wrong.
    Fault,
    /// We do not support something, or we are wrong.
    Failed,
    /// A limit; the path is unfinished.
    Unfinished,
    /// Nothing to show: the path ended itself, or could not begin.
    Silent,
}

/// The end of a path.
pub struct PathEnd<'a> {
    /// Number of the path, from 1 in the order in which they ended.
    pub number: u64,
    /// The state as it ended; its witness is the test.
    pub state: &'a State,
    /// How it ended.
    pub termination: &'a Termination,
    /// What that means.
    pub class: PathClass,
    /// The bug it shows, if any.
    pub sighting: Option<Sighting>,
    /// Counters so far, this path included.
    pub counters: &'a Counters,
}

/// The exploration at a moment.
pub struct Progress<'a> {
    /// The machine, for its coverage and solver statistics.
    pub vm: &'a Vm,
    /// Counters so far.
    pub counters: &'a Counters,
    /// States alive.
    pub states: usize,
    /// Distinct bugs so far.
    pub bugs: usize,
    /// Time since the start.
    pub elapsed: Duration,
    /// The execution tree so far.
    pub record: &'a Record,
}

/// Why a sink could not go on.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Where ended paths go.
pub trait Sink {
    /// A path ended. Returns whether it became a test.
    fn path_ended(&mut self, vm: &mut Vm, end: &PathEnd<'_>) -> Result<bool, SinkError>;

    /// Called several times a second.
    fn progress(&mut self, progress: &Progress<'_>) -> Result<(), SinkError>;

    /// Asked after each path: is that enough?
    fn satisfied(&self) -> bool {
        false
    }
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Why it ended.
    pub stop: StopReason,
    /// What was counted.
    pub counters: Counters,
    /// What was left out.
    pub left_out: LeftOut,
    /// How long it took.
    pub elapsed: Duration,
}

/// See the module text.
pub struct Ledger {
    /// The limits.
    pub limits: Limits,
    /// What was counted.
    pub counters: Counters,
    /// Distinct bugs.
    pub bugs: Bugs,
    /// What was left out.
    pub left_out: LeftOut,
    /// The execution tree.
    pub record: Record,
    interrupt: Arc<AtomicBool>,
    paths: u64,
    start: Instant,
    last_memory: Instant,
    last_progress: Instant,
}

impl Ledger {
    /// Nothing has happened yet. Setting `interrupt` ends the exploration.
    pub fn new(limits: Limits, interrupt: Arc<AtomicBool>) -> Ledger {
        let now = Instant::now();
        Ledger {
            limits,
            counters: Counters::default(),
            bugs: Bugs::default(),
            left_out: LeftOut::default(),
            record: Record::default(),
            interrupt,
            paths: 0,
            start: now,
            last_memory: now,
            last_progress: now,
        }
    }

    /// The clock begins to run.
    pub fn begin(&mut self, vm: &mut Vm) {
        self.start = Instant::now();
        (self.last_memory, self.last_progress) = (self.start, self.start);
        vm.solver.set_timeout(self.limits.query_time);
        self.counters.memory_peak = resident_bytes();
    }

    /// The limit over the whole exploration that ends it now, given that there is something left to do.
    pub fn stop(&mut self, vm: &mut Vm, sink: &dyn Sink) -> Option<StopReason> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupt);
        }
        if sink.satisfied() {
            return Some(StopReason::Satisfied);
        }
        if self.limits.tests.is_some_and(|n| self.counters.tests >= n) {
            return Some(StopReason::Tests);
        }
        if self.limits.instructions.is_some_and(|n| self.counters.instructions >= n) {
            return Some(StopReason::Instructions);
        }
        if let Some(limit) = self.limits.time {
            let left = limit.saturating_sub(self.start.elapsed());
            if left.is_zero() {
                return Some(StopReason::Time);
            }
            if self.limits.query_time.is_none_or(|q| left < q) {
                vm.solver.set_timeout(Some(left));
            }
        }
        None
    }

    /// Is it time to look at the memory use?
    pub fn memory_is_due(&mut self) -> bool {
        let due = self.last_memory.elapsed() >= MEMORY_PERIOD;
        if due {
            self.last_memory = Instant::now();
        }
        due
    }

    /// Memory in use now; the peak is kept.
    pub fn memory(&mut self) -> u64 {
        let used = resident_bytes();
        self.counters.memory_peak = self.counters.memory_peak.max(used);
        used
    }

    /// Tells the sink how far things are, if that was a while ago or must be.
    pub fn progress(
        &mut self,
        vm: &Vm,
        states: usize,
        must: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), SinkError> {
        if !must && self.last_progress.elapsed() < PROGRESS_PERIOD {
            return Ok(());
        }
        self.last_progress = Instant::now();
        let (bugs, elapsed) = (self.bugs.len(), self.start.elapsed());
        let record = &self.record;
        sink.progress(&Progress { vm, counters: &self.counters, states, bugs, elapsed, record })
    }

    /// A state ran. The count of a block is taken when it is entered and corrected when a path ends inside it, so the
    /// difference may be negative.
    pub fn executed(&mut self, before: u64, after: u64) {
        let c = &mut self.counters.instructions;
        *c = c.wrapping_add(after).wrapping_sub(before);
    }

    /// A state ran that had executed and solved so much before; also where samples are taken.
    pub fn ran(&mut self, vm: &mut Vm, state: &State, instructions: u64, solver_nanos: u64) {
        self.executed(instructions, state.instructions);
        let (executed, solved) =
            (state.instructions.wrapping_sub(instructions), state.solver_nanos.wrapping_sub(solver_nanos));
        self.record.ran(state, executed, solved);
        let program = Rc::clone(&vm.program);
        vm.profile.sample(&program, state, self.counters.instructions);
    }

    /// Instructions that a state may execute before the next sample.
    pub fn sample_in(&self, vm: &Vm) -> u64 {
        vm.profile.due_in(self.counters.instructions)
    }

    /// A path ended: count it, recognise its bug, hand it on.
    pub fn end(
        &mut self,
        vm: &mut Vm,
        state: &mut State,
        end: &Termination,
        sink: &mut dyn Sink,
    ) -> Result<(), SinkError> {
        if self.limits.tests.is_some_and(|n| self.counters.tests >= n) {
            self.counters.unfinished += 1;
            return Ok(());
        }
        let class = self.count(end);
        if class != PathClass::Unfinished && !state.preferences.is_empty() {
            vm.apply_preferences(state);
        }
        let deepest = vm.config.max_depth;
        self.left_out.depth |= deepest != 0 && state.depth >= deepest;
        self.paths += 1;
        let sighting = self.bugs.record(&vm.program, state, end);
        let end = PathEnd {
            number: self.paths,
            state,
            termination: end,
            class,
            sighting,
            counters: &self.counters,
        };
        let is_test = sink.path_ended(vm, &end)?;
        self.counters.tests += u64::from(is_test);
        self.record.ended(vm, state, class, is_test.then_some(self.counters.tests));
        Ok(())
    }

    fn count(&mut self, end: &Termination) -> PathClass {
        let c = &mut self.counters;
        let (counter, class) = match end {
            Termination::Exit(_) | Termination::Signal(_) => (&mut c.exits, PathClass::Exit),
            Termination::Fault(_) => (&mut c.faults, PathClass::Fault),
            Termination::Unsupported(_) => (&mut c.unsupported, PathClass::Failed),
            Termination::Internal(_) => (&mut c.internal, PathClass::Failed),
            Termination::Limit(_) => (&mut c.unfinished, PathClass::Unfinished),
            Termination::Silent => (&mut c.silent, PathClass::Silent),
            Termination::ImpossibleAssumption => (&mut c.impossible, PathClass::Silent),
        };
        *counter += 1;
        class
    }

    /// The books are closed.
    pub fn summary(&mut self, vm: &Vm, stop: StopReason) -> Summary {
        self.memory();
        self.left_out.paths = self.counters.partial();
        // What the C library did before main is not the program's: a path costs what it executes from main on.
        self.counters.instructions = self.counters.instructions.saturating_sub(vm.startup_instructions);
        Summary {
            stop,
            counters: self.counters.clone(),
            left_out: self.left_out.clone(),
            elapsed: self.start.elapsed(),
        }
    }
}
