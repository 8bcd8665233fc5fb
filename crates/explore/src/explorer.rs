//! The exploration loop: select, run, account for what forked and what ended, until no state is left or a limit says
//! stop. It decides when, never what is written: ended paths go to a [`Sink`]. Read `searcher` for who runs next.

use crate::bugs::Bugs;
use crate::catch::catching;
use crate::distance::Distances;
use crate::forest::{Forest, Slot};
use crate::ledger::{Ledger, Sink, SinkError, Summary};
use crate::limits::{Limits, StopReason};
use crate::memory::{Pressure, allocated_bytes, release_freed_memory, resident_bytes};
use crate::observe::{Observer, Watch};
use crate::random::Random;
use crate::record::Record;
use crate::searcher::{Search, Searcher, View};
use forkwise_vm::{Limit, Os, State, Step, Termination, Vm};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Instructions a state may run before a searcher is asked again, when it does not fork.
const SLICE: u64 = 10_000;
/// Expression nodes before unused ones are looked for. Counted, not measured, so that runs repeat.
const GARBAGE_NODES: usize = 1 << 21;
/// Time to write the tests of unfinished paths after the clock ended the exploration.
const GRACE: Duration = Duration::from_secs(4);
/// How often freed memory is given back while memory is short: it takes a while.
const RELIEF_PERIOD: Duration = Duration::from_millis(250);
/// Parts in which states are dropped, with a look at the memory between two.
const DROPS: usize = 32;

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
    ledger: Ledger,
    make_os: Option<MakeOs>,
    /// Somebody looks at the registers of states.
    count_registers: bool,
    watch: Option<Watch>,
    /// The state that paused, and what is left of its slice.
    paused: Option<(Slot, u64)>,
    /// States with seeds: they run before all others, whatever the search says.
    seeded: BTreeSet<Slot>,
    collect_at: usize,
    /// When freed memory was last given back because memory was short.
    last_relief: Instant,
    /// Memory is short, and forking stops until it is not.
    memory_short: bool,
    pressure: Pressure,
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
        Explorer {
            forest: Forest::new(),
            searcher: search.build(&mut random),
            distances: search.uses_distances().then(|| Distances::new(&vm.program)),
            no_distances: Distances::new(&Default::default()),
            random,
            ledger: Ledger::new(limits, interrupt),
            make_os: None,
            count_registers: search.uses_registers(),
            watch: None,
            paused: None,
            seeded: BTreeSet::new(),
            collect_at: GARBAGE_NODES,
            last_relief: Instant::now(),
            memory_short: false,
            pressure: Pressure::default(),
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
        &self.ledger.bugs
    }

    /// The execution tree.
    pub fn record(&self) -> &Record {
        &self.ledger.record
    }

    /// Explores from the states `initial` until nothing is left or a limit ends it. An error is the sink's; what it
    /// accepted before stays.
    pub fn run(&mut self, initial: Vec<Box<State>>, sink: &mut dyn Sink) -> Result<Summary, SinkError> {
        self.ledger.begin(&mut self.vm);
        // A balanced tree over them: a random walk down must not prefer any.
        let mut slots: Vec<Slot> = Vec::with_capacity(initial.len());
        for mut state in initial {
            self.ledger.record.begin(&self.vm, &mut state);
            let slot = match slots.len().checked_sub(1) {
                None => self.forest.plant(state),
                Some(i) => self.forest.fork(slots[i / 2], state),
            };
            slots.push(slot);
        }
        self.update(None, &slots, &[]);
        self.ledger.counters.states_peak = slots.len();
        let stop = loop {
            if let Some(reason) = self.stop_now(sink)? {
                break reason;
            }
            if self.forest.is_empty() {
                let short = self.ledger.counters.dropped > 0 || self.ledger.left_out.memory;
                break if short { StopReason::Memory } else { StopReason::Complete };
            }
            if self.vm.exprs.live() >= self.collect_at {
                self.collect_garbage();
            }
            self.step(sink)?;
        };
        self.finish_all(stop, sink)?;
        Ok(self.ledger.summary(&self.vm, stop))
    }

    /// Limits over the whole exploration; also where progress is told and memory watched.
    fn stop_now(&mut self, sink: &mut dyn Sink) -> Result<Option<StopReason>, SinkError> {
        match self.ledger.stop(&mut self.vm, sink) {
            // Nothing is left: whatever the limits say, it is complete.
            Some(reason) => {
                let always = matches!(reason, StopReason::Interrupt | StopReason::Satisfied);
                return Ok((always || !self.forest.is_empty()).then_some(reason));
            }
            None => {
                if self.ledger.memory_is_due() {
                    self.watch_memory(sink)?;
                }
                self.ledger.progress(&self.vm, self.forest.len(), false, sink)?;
            }
        }
        Ok(None)
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
        self.ledger.counters.selections += 1;
        if let (Some(d), true) = (&mut self.distances, self.seeded.is_empty()) {
            let c = &self.vm.coverage;
            d.refresh(&self.vm.program, &c.blocks, c.log.len(), self.ledger.counters.instructions);
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
            let counters = &self.ledger.counters;
            watch.selected(view, slot, counters.selections, counters.instructions);
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
        let (before, solved) = (state.instructions, state.solver_nanos);
        let left = self.ledger.limits.instructions.map_or(slice, |n| n - self.ledger.counters.instructions);
        let (most, sample_in) = (slice.min(left), self.ledger.sample_in(vm));
        let record = &mut self.ledger.record;
        let step = catching(|| match vm.settle_pending(state) {
            Ok(true) => {
                record.runs(vm, state);
                Some(vm.run(state, most.min(sample_in)))
            }
            Ok(false) => None,
            Err(end) => Some(Step::Ended(end)),
        })
        .unwrap_or_else(|panic| {
            if let (None, Some(make)) = (&vm.os, &self.make_os) {
                vm.os = Some(make());
            }
            Some(Step::Ended(Termination::Internal(panic)))
        });
        let after = state.instructions;
        self.ledger.ran(vm, state, before, solved);
        // A sample is not a choice either.
        let step = match step {
            Some(Step::Budget) if after.saturating_sub(before) < most => Some(Step::Paused),
            other => other,
        };

        let forks = std::mem::take(&mut vm.forks);
        if !forks.is_empty() {
            self.ledger.record.forked(vm, state);
        }
        let ended = std::mem::take(&mut self.vm.ended);
        let added: Vec<Slot> = forks.into_iter().map(|s| self.forest.fork(slot, s)).collect();
        self.ledger.counters.states_peak = self.ledger.counters.states_peak.max(self.forest.len());
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
        let forked_enough = self.ledger.limits.forks.is_some_and(|n| self.vm.fork_count >= n);
        self.ledger.left_out.forks |= forked_enough && !self.forest.is_empty();
        self.vm.stop_forking = forked_enough || self.memory_short;
        Ok(())
    }

    fn end(&mut self, state: &mut State, end: &Termination, sink: &mut dyn Sink) -> Result<(), SinkError> {
        self.ledger.end(&mut self.vm, state, end, sink)
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
                self.ledger.counters.unfinished += left;
                self.vm
                    .note(format!("{left} unfinished paths gave no test: the time for writing them was up"));
                break;
            }
            self.drop_state(*slot, limit.clone(), sink)?;
        }
        self.ledger.progress(&self.vm, self.forest.len(), true, sink)
    }

    fn drop_state(&mut self, slot: Slot, limit: Limit, sink: &mut dyn Sink) -> Result<(), SinkError> {
        self.update(None, &[], &[slot]);
        let mut state = self.forest.remove(slot);
        if state.pending.is_some() {
            // Not known to be feasible: its witness is another path's.
            self.ledger.counters.unfinished += 1;
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
            self.ledger.left_out.memory = true;
            self.vm.note("skipping fork (memory cap exceeded)");
        }
    }

    /// Near the limit, expressions that nobody needs go first; then states, chosen at random among those that covered nothing
    /// new of their own, each with its test, until there is room for others.
    fn watch_memory(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        let mut used = self.ledger.memory();
        let Some(limit) = self.ledger.limits.memory else { return Ok(()) };
        if self.ledger.limits.memory_stops_forks {
            self.watch_forking(limit, used);
        }
        if !self.pressure.is_short(limit, used, allocated_bytes) {
            return Ok(());
        }
        if self.vm.exprs.live() >= GARBAGE_NODES / 8 {
            self.collect_garbage();
        }
        release_freed_memory();
        used = resident_bytes();
        if used > limit / 10 * 9 {
            // What the solver has learnt comes back by itself; a state does not.
            self.vm.solver.free_memory();
            release_freed_memory();
            used = resident_bytes();
        }
        let Some(shortage) = self.pressure.shortage(limit, used, allocated_bytes()) else { return Ok(()) };
        let mut slots: Vec<Slot> = self.forest.slots().collect();
        for i in 0..slots.len() {
            let j = i + self.random.below((slots.len() - i) as u64) as usize;
            slots.swap(i, j);
        }
        slots.sort_by_key(|s| self.forest.state(*s).covered_new);
        for batch in slots.chunks((slots.len() / DROPS).max(1)) {
            if allocated_bytes() <= shortage.goal {
                break;
            }
            for slot in batch {
                self.ledger.counters.dropped += 1;
                self.paused = None;
                self.drop_state(*slot, Limit::Memory, sink)?;
            }
        }
        release_freed_memory();
        Ok(())
    }
}
