//! The exploration loop: select, run, account for what forked and what ended, until no state is left or a limit says
//! stop. It decides when, never what is written: ended paths go to a [`Sink`]. Read `searcher` for who runs next.

use crate::bugs::{Bugs, Sighting};
use crate::catch::catching;
use crate::distance::Distances;
use crate::forest::{Forest, Slot};
use crate::limits::{Counters, LeftOut, Limits, StopReason, release_freed_memory, resident_bytes};
use crate::observe::{Observer, Watch};
use crate::random::Random;
use crate::searcher::{Search, Searcher, View};
use forkwise_vm::{Limit, Os, State, Step, Termination, Vm};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Instructions a state may run before a searcher is asked again, when it does not fork.
const SLICE: u64 = 10_000;
/// Expression nodes before unused ones are looked for. Counted, not measured, so that runs repeat.
const GARBAGE_NODES: usize = 1 << 21;
/// Time to write the tests of unfinished paths after the clock ended the exploration.
const GRACE: Duration = Duration::from_secs(4);
/// How often the memory use is looked at, and how often the sink hears of progress.
const MEMORY_PERIOD: Duration = Duration::from_millis(25);
/// How often freed memory is given back while memory is short: it takes a while.
const RELIEF_PERIOD: Duration = Duration::from_millis(250);
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

/// Makes the machine's operating system.
pub type MakeOs = Box<dyn Fn() -> Box<dyn Os>>;

/// See the module text.
pub struct Explorer {
    /// The machine.
    pub vm: Vm,
    forest: Forest,
    searcher: Box<dyn Searcher>,
    distances: Option<Distances>,
    no_distances: Distances,
    random: Random,
    limits: Limits,
    counters: Counters,
    bugs: Bugs,
    interrupt: Arc<AtomicBool>,
    make_os: Option<MakeOs>,
    /// Somebody looks at the registers of states.
    count_registers: bool,
    watch: Option<Watch>,
    left_out: LeftOut,
    paths: u64,
    /// The state that paused, and what is left of its slice.
    paused: Option<(Slot, u64)>,
    /// States with seeds: they run before all others, whatever the search says.
    seeded: BTreeSet<Slot>,
    collect_at: usize,
    start: Instant,
    last_memory: Instant,
    /// When freed memory was last given back because memory was short.
    last_relief: Instant,
    /// Memory is short, and forking stops until it is not.
    memory_short: bool,
    last_progress: Instant,
}

impl Explorer {
    /// An exploration of what `vm` runs. Everything random follows from `seed`; setting `interrupt` ends it.
    pub fn new(
        mut vm: Vm,
        search: &Search,
        seed: u64,
        limits: Limits,
        interrupt: Arc<AtomicBool>,
    ) -> Explorer {
        let mut random = Random::new(seed);
        vm.config.lazy |= search.is_lazy();
        vm.config.count_executions |= search.uses_counts();
        let now = Instant::now();
        Explorer {
            forest: Forest::new(),
            searcher: search.build(&mut random),
            distances: search.uses_distances().then(|| Distances::new(&vm.program)),
            no_distances: Distances::new(&Default::default()),
            random,
            limits,
            counters: Counters::default(),
            bugs: Bugs::default(),
            interrupt,
            make_os: None,
            count_registers: search.uses_registers(),
            watch: None,
            left_out: LeftOut::default(),
            paused: None,
            seeded: BTreeSet::new(),
            paths: 0,
            collect_at: GARBAGE_NODES,
            start: now,
            last_memory: now,
            last_relief: now,
            memory_short: false,
            last_progress: now,
            vm,
        }
    }

    /// Gives the machine its operating system, and another one should a path's internal error take it along.
    pub fn set_os(&mut self, make: MakeOs) {
        self.vm.os = Some(make());
        self.make_os = Some(make);
    }

    /// Tells `observer` of every selection, with statistics and features of the chosen state. To be set before `run`.
    pub fn observe(&mut self, observer: Observer) {
        self.vm.config.count_executions = true;
        self.count_registers = true;
        self.distances.get_or_insert_with(|| Distances::new(&self.vm.program));
        self.watch = Some(Watch::new(observer));
    }

    /// Distinct bugs seen so far, and how often.
    pub fn bugs(&self) -> &Bugs {
        &self.bugs
    }

    /// Explores from the states `initial` until nothing is left or a limit ends it. An error is the sink's; what it
    /// accepted before stays.
    pub fn run(&mut self, initial: Vec<Box<State>>, sink: &mut dyn Sink) -> Result<Summary, SinkError> {
        self.start = Instant::now();
        (self.last_memory, self.last_progress) = (self.start, self.start);
        self.vm.solver.set_timeout(self.limits.query_time);
        self.counters.memory_peak = resident_bytes();
        // A balanced tree over them: a random walk down must not prefer any.
        let mut slots: Vec<Slot> = Vec::with_capacity(initial.len());
        for state in initial {
            let slot = match slots.len().checked_sub(1) {
                None => self.forest.plant(state),
                Some(i) => self.forest.fork(slots[i / 2], state),
            };
            slots.push(slot);
        }
        self.update(None, &slots, &[]);
        self.counters.states_peak = slots.len();
        let stop = loop {
            if let Some(reason) = self.stop_now(sink)? {
                break reason;
            }
            if self.forest.is_empty() {
                let short = self.counters.dropped > 0 || self.left_out.memory;
                break if short { StopReason::Memory } else { StopReason::Complete };
            }
            if self.vm.exprs.live() >= self.collect_at {
                self.collect_garbage();
            }
            self.step(sink)?;
        };
        self.finish_all(stop, sink)?;
        self.counters.memory_peak = self.counters.memory_peak.max(resident_bytes());
        self.left_out.paths = self.counters.partial();
        // What the C library did before main is not the program's: a path costs what it executes from main on.
        self.counters.instructions = self.counters.instructions.saturating_sub(self.vm.startup_instructions);
        Ok(Summary {
            stop,
            counters: self.counters.clone(),
            left_out: self.left_out.clone(),
            elapsed: self.start.elapsed(),
        })
    }

    /// Limits over the whole exploration; also where progress is told and memory watched.
    fn stop_now(&mut self, sink: &mut dyn Sink) -> Result<Option<StopReason>, SinkError> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Ok(Some(StopReason::Interrupt));
        }
        if sink.satisfied() {
            return Ok(Some(StopReason::Satisfied));
        }
        if self.limits.tests.is_some_and(|n| self.counters.tests >= n) && !self.forest.is_empty() {
            return Ok(Some(StopReason::Tests));
        }
        if self.limits.instructions.is_some_and(|n| self.counters.instructions >= n)
            && !self.forest.is_empty()
        {
            return Ok(Some(StopReason::Instructions));
        }
        let now = Instant::now();
        if let Some(limit) = self.limits.time {
            let left = limit.saturating_sub(now - self.start);
            if left.is_zero() {
                return Ok((!self.forest.is_empty()).then_some(StopReason::Time));
            }
            if self.limits.query_time.is_none_or(|q| left < q) {
                self.vm.solver.set_timeout(Some(left));
            }
        }
        if now - self.last_memory >= MEMORY_PERIOD {
            self.last_memory = now;
            self.watch_memory(sink)?;
        }
        if now - self.last_progress >= PROGRESS_PERIOD {
            self.last_progress = now;
            self.tell_progress(sink)?;
        }
        Ok(None)
    }

    fn tell_progress(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        sink.progress(&Progress {
            vm: &self.vm,
            counters: &self.counters,
            states: self.forest.len(),
            bugs: self.bugs.len(),
            elapsed: self.start.elapsed(),
        })
    }

    fn update(&mut self, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        for slot in current.iter().chain(added) {
            if self.count_registers {
                self.forest.state_mut(*slot).count_registers(&self.vm.program);
            }
            match self.forest.state(*slot).seeds.is_empty() {
                true => self.seeded.remove(slot),
                false => self.seeded.insert(*slot),
            };
        }
        removed.iter().for_each(|slot| {
            self.seeded.remove(slot);
        });
        let view = View {
            forest: &self.forest,
            program: &self.vm.program,
            distances: self.distances.as_ref().unwrap_or(&self.no_distances),
            coverage: &self.vm.coverage,
            counts: &self.vm.counts,
        };
        self.searcher.update(view, current, added, removed);
        if let Some(watch) = &mut self.watch {
            watch.update(view, current, added, removed);
        }
    }

    fn select(&mut self) -> Slot {
        self.counters.selections += 1;
        if let (Some(d), true) = (&mut self.distances, self.seeded.is_empty()) {
            let c = &self.vm.coverage;
            d.refresh(&self.vm.program, &c.blocks, c.log.len(), self.counters.instructions);
        }
        let view = View {
            forest: &self.forest,
            program: &self.vm.program,
            distances: self.distances.as_ref().unwrap_or(&self.no_distances),
            coverage: &self.vm.coverage,
            counts: &self.vm.counts,
        };
        let slot = match self.seeded.first() {
            Some(slot) => *slot,
            None => self.searcher.select(view),
        };
        if let Some(watch) = &mut self.watch {
            watch.selected(view, slot, self.counters.selections, self.counters.instructions);
        }
        slot
    }

    /// One state runs until it forks, ends or has used up its slice.
    fn step(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        // A pause is not a choice: the same state goes on with what is left, so that runs repeat.
        let (slot, slice) = match self.paused.take() {
            Some(paused) => paused,
            None => (self.select(), SLICE),
        };
        let (vm, state) = (&mut self.vm, self.forest.state_mut(slot));
        let before = state.instructions;
        let left = self.limits.instructions.map_or(slice, |n| n - self.counters.instructions);
        let step = catching(|| match vm.settle_pending(state) {
            Ok(true) => Some(vm.run(state, slice.min(left))),
            Ok(false) => None,
            Err(end) => Some(Step::Ended(end)),
        })
        .unwrap_or_else(|panic| {
            if let (None, Some(make)) = (&vm.os, &self.make_os) {
                vm.os = Some(make());
            }
            Some(Step::Ended(Termination::Internal(panic)))
        });
        // The count of a block is taken when it is entered and corrected when a path ends inside it, so the
        // difference may be negative.
        let after = state.instructions;
        self.counters.instructions = self.counters.instructions.wrapping_add(after).wrapping_sub(before);

        let forks = std::mem::take(&mut self.vm.forks);
        let ended = std::mem::take(&mut self.vm.ended);
        let added: Vec<Slot> = forks.into_iter().map(|s| self.forest.fork(slot, s)).collect();
        self.counters.states_peak = self.counters.states_peak.max(self.forest.len());
        match step {
            Some(Step::Paused) => {
                self.paused = Some((slot, slice.saturating_sub(after.saturating_sub(before)).max(1)));
            }
            Some(Step::Budget | Step::Forked) => self.update(Some(slot), &added, &[]),
            Some(Step::Ended(end)) => {
                self.update(None, &added, &[slot]);
                let mut state = self.forest.remove(slot);
                self.end(&mut state, &end, sink)?;
            }
            // Forked before it was known to be feasible, and it is not: there never was such a path.
            None => {
                self.update(None, &added, &[slot]);
                self.forest.remove(slot);
            }
        }
        for mut e in ended {
            self.end(&mut e.state, &e.termination, sink)?;
        }
        let forked_enough = self.limits.forks.is_some_and(|n| self.vm.fork_count >= n);
        self.left_out.forks |= forked_enough && !self.forest.is_empty();
        self.vm.stop_forking = forked_enough || self.memory_short;
        Ok(())
    }

    /// A path ended: count it, recognise its bug, hand it on.
    fn end(&mut self, state: &mut State, end: &Termination, sink: &mut dyn Sink) -> Result<(), SinkError> {
        if self.limits.tests.is_some_and(|n| self.counters.tests >= n) {
            self.counters.unfinished += 1;
            return Ok(());
        }
        let class = self.count(end);
        if class != PathClass::Unfinished && !state.preferences.is_empty() {
            self.vm.apply_preferences(state);
        }
        let deepest = self.vm.config.max_depth;
        self.left_out.depth |= deepest != 0 && state.depth >= deepest;
        self.paths += 1;
        let sighting = self.bugs.record(&self.vm.program, state, end);
        let end = PathEnd {
            number: self.paths,
            state,
            termination: end,
            class,
            sighting,
            counters: &self.counters,
        };
        if sink.path_ended(&mut self.vm, &end)? {
            self.counters.tests += 1;
        }
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

    /// The budget has ended: every state left is an unfinished path, and gives its test from its witness at once,
    /// those that covered new code first. Where the clock ended the exploration it also ends this: a slow disk must
    /// not turn a limit of seconds into minutes.
    fn finish_all(&mut self, stop: StopReason, sink: &mut dyn Sink) -> Result<(), SinkError> {
        let clock = matches!(stop, StopReason::Time | StopReason::Interrupt);
        let deadline = clock.then(|| Instant::now() + GRACE);
        let limit = match stop {
            StopReason::Time | StopReason::Interrupt | StopReason::Satisfied => Limit::Time,
            StopReason::Memory => Limit::Memory,
            _ => Limit::Instructions,
        };
        let mut slots: Vec<Slot> = self.forest.slots().collect();
        slots.sort_by_key(|s| !self.forest.state(*s).covered_new);
        for (i, slot) in slots.iter().enumerate() {
            if i % 64 == 0 && deadline.is_some_and(|d| Instant::now() > d) {
                let left = (slots.len() - i) as u64;
                self.counters.unfinished += left;
                self.vm
                    .note(format!("{left} unfinished paths gave no test: the time for writing them was up"));
                break;
            }
            self.drop_state(*slot, limit.clone(), sink)?;
        }
        self.tell_progress(sink)
    }

    fn drop_state(&mut self, slot: Slot, limit: Limit, sink: &mut dyn Sink) -> Result<(), SinkError> {
        self.update(None, &[], &[slot]);
        let mut state = self.forest.remove(slot);
        if state.pending.is_some() {
            // Not known to be feasible: its witness is another path's.
            self.counters.unfinished += 1;
            return Ok(());
        }
        self.end(&mut state, &Termination::Limit(limit), sink)
    }

    fn collect_garbage(&mut self) {
        let forest = &self.forest;
        self.vm.collect_garbage(forest.slots().map(|s| forest.state(s)));
        self.collect_at = (2 * self.vm.exprs.live()).max(GARBAGE_NODES);
    }

    /// Forking stops a little before states have to be dropped, and begins again when there is room.
    fn watch_forking(&mut self, limit: u64, mut used: u64) {
        let enough = limit / 10 * 8;
        if used > enough && (!self.memory_short || self.last_relief.elapsed() >= RELIEF_PERIOD) {
            if self.vm.exprs.live() >= GARBAGE_NODES / 8 {
                self.collect_garbage();
            }
            release_freed_memory();
            self.last_relief = Instant::now();
            used = resident_bytes();
        }
        self.memory_short = used > enough;
        if self.memory_short && !self.forest.is_empty() {
            self.left_out.memory = true;
            self.vm.note("skipping fork (memory cap exceeded)");
        }
    }

    /// Above the limit, expressions that nobody needs go first; then states, chosen at random among those that covered nothing new of their own, each with
    /// its test; as many as should bring the process well below the limit.
    fn watch_memory(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        let mut used = resident_bytes();
        self.counters.memory_peak = self.counters.memory_peak.max(used);
        let Some(limit) = self.limits.memory else { return Ok(()) };
        if self.limits.memory_stops_forks {
            self.watch_forking(limit, used);
        }
        if used <= limit / 10 * 9 {
            return Ok(());
        }
        if self.vm.exprs.live() >= GARBAGE_NODES / 8 {
            self.collect_garbage();
        }
        release_freed_memory();
        used = resident_bytes();
        while used > limit / 10 * 9 && !self.forest.is_empty() {
            let states = self.forest.len();
            let target = (limit / 10 * 7) as f64 / used as f64;
            let goes = (states - (states as f64 * target) as usize).clamp(1, states);
            let mut slots: Vec<Slot> = self.forest.slots().collect();
            for i in 0..slots.len() {
                let j = i + self.random.below((slots.len() - i) as u64) as usize;
                slots.swap(i, j);
            }
            slots.sort_by_key(|s| self.forest.state(*s).covered_new);
            for slot in slots.into_iter().take(goes) {
                self.counters.dropped += 1;
                self.paused = None;
                self.drop_state(slot, Limit::Memory, sink)?;
            }
            release_freed_memory();
            used = resident_bytes();
        }
        Ok(())
    }
}
