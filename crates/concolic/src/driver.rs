//! The loop of concolic testing: run a path to its end, choose a branch, negate it, run what follows.
//!
//! A run begins at a known or random input or beside an earlier path. Its decisions go to the tree; those it did not take stay
//! there as snapshots, as long as there is room. The heuristic chooses; nothing here prefers one branch to another.

use crate::heuristic::{Heuristic, View};
use crate::observe::{Negation, Observer, Watch};
use crate::rerun::{Origin, Run, Values, begin, rerun};
use crate::stats::Stats;
use crate::tree::{Cursor, Met, Open, Status, Step, Tree};
use forkwise_explore::{
    Bugs, Ledger, Limits, MakeOs, Random, Record, Sink, SinkError, StopReason, Summary, catching,
    release_freed_memory, resident_bytes,
};
use forkwise_vm::{Limit, State, Step as VmStep, Tape, Termination, TreePlace, Vm};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Instructions between two looks at the clock.
const SLICE: u64 = 50_000;

/// What is wished for, beside the limits that every exploration has.
#[derive(Clone, Debug)]
pub struct Options {
    /// Executions; `None`: no limit.
    pub executions: Option<u64>,
    /// Keep states at branches; otherwise every run begins at `main`.
    pub snapshots: bool,
    /// Most states kept at once; the oldest go first. `None`: as many as memory holds.
    pub most_snapshots: Option<usize>,
    /// Instructions from `main` on after which an execution is cut off: a loop that never ends must not take the whole
    /// budget.
    pub instructions: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { executions: None, snapshots: true, most_snapshots: None, instructions: 5_000_000 }
    }
}

/// A known input to begin with: the initial state that it belongs to, and values of inputs by name.
struct Beginning {
    root: usize,
    values: Values,
}

/// What runs next: a state, the path before it, the place in the tree, and where it began.
struct Next {
    state: Box<State>,
    path: Vec<Step>,
    cursor: Cursor,
    origin: Origin,
}

/// What heuristics see; a macro, so that the rest of `self` can still be borrowed.
macro_rules! view {
    ($self:ident) => {
        View {
            program: &$self.vm.program,
            tree: &$self.tree,
            path: &$self.path,
            coverage: &$self.vm.coverage,
            stats: &$self.stats,
        }
    };
}

/// See the module text.
pub struct Concolic {
    /// The machine.
    pub vm: Vm,
    ledger: Ledger,
    heuristic: Box<dyn Heuristic>,
    random: Random,
    options: Options,
    make_os: Option<MakeOs>,
    watch: Option<Watch>,
    #[allow(clippy::vec_box, reason = "states are boxed wherever they are kept")]
    roots: Vec<Box<State>>,
    beginnings: VecDeque<Beginning>,
    tree: Tree,
    runs: Vec<Run>,
    stats: Stats,
    /// The last path.
    path: Vec<Step>,
    /// Steps with snapshots, oldest first; some have been taken since.
    kept: VecDeque<Step>,
}

impl Concolic {
    /// Tests what `vm` runs from the states `roots`, known inputs first. Everything random follows from `seed`; setting
    /// `interrupt` ends it.
    #[allow(clippy::vec_box, reason = "states are boxed wherever they are kept")]
    pub fn new(
        mut vm: Vm,
        roots: Vec<Box<State>>,
        heuristic: Box<dyn Heuristic>,
        seed: u64,
        limits: Limits,
        interrupt: Arc<AtomicBool>,
        options: Options,
    ) -> Concolic {
        vm.config.concolic = true;
        vm.config.lazy = true;
        let stats = Stats::new(&vm.program);
        Concolic {
            vm,
            ledger: Ledger::new(limits, interrupt),
            heuristic,
            random: Random::new(seed),
            options,
            make_os: None,
            watch: None,
            roots,
            beginnings: VecDeque::new(),
            tree: Tree::default(),
            runs: Vec::new(),
            stats,
            path: Vec::new(),
            kept: VecDeque::new(),
        }
    }

    /// Gives the machine its operating system, and another one should a path's internal error take it along.
    pub fn set_os(&mut self, make: MakeOs) {
        self.vm.os = Some(make());
        self.make_os = Some(make);
    }

    /// `observer` hears of every branch that is chosen to be negated.
    pub fn observe(&mut self, observer: Observer) {
        self.watch = Some(Watch::new(observer));
    }

    /// Adds an input to begin with: values of inputs by name. `false`: it contradicts every beginning.
    pub fn add_beginning(&mut self, values: &[(String, Vec<u8>)]) -> bool {
        let fits = |root: &mut Box<State>| {
            let mut probe = root.fork(root.id);
            self.vm.add_seed(&mut probe, values)
        };
        let Some(root) = self.roots.iter_mut().position(fits) else { return false };
        self.beginnings.push_back(Beginning { root, values: values.into() });
        true
    }

    /// Distinct bugs seen so far, and how often.
    pub fn bugs(&self) -> &Bugs {
        &self.ledger.bugs
    }

    /// The execution tree.
    pub fn record(&self) -> &Record {
        &self.ledger.record
    }

    /// Tests until nothing is left or a limit ends it. An error is the sink's; what it accepted before stays.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<Summary, SinkError> {
        self.ledger.begin(&mut self.vm);
        let mut next = self.next_beginning();
        let stop = loop {
            let Some(now) = next.take() else { break StopReason::Complete };
            if let Some(stop) = self.execute(now, sink)? {
                break stop;
            }
            let nothing_left = self.tree.open() == 0 && self.beginnings.is_empty();
            if self.options.executions.is_some_and(|n| self.ledger.counters.executions >= n) && !nothing_left
            {
                break StopReason::Executions;
            }
            // Here no state lives outside the tree.
            self.housekeeping(sink)?;
            match self.choose(sink) {
                Ok(chosen) => next = chosen,
                Err(stop) => break stop,
            }
        };
        self.ledger.progress(&self.vm, 0, true, sink)?;
        Ok(self.ledger.summary(&self.vm, stop))
    }

    /// Runs to the end of a path. An answer is the limit that ended it, and everything.
    fn execute(&mut self, next: Next, sink: &mut dyn Sink) -> Result<Option<StopReason>, SinkError> {
        let Next { mut state, mut path, mut cursor, origin } = next;
        let number = self.runs.len() as u32;
        self.stats.run_begins(&path, &origin);
        let mut ordinal = 0;
        let mut stop = None;
        // A path may meet decisions so often that no slice is ever used up.
        let mut looked = state.instructions;
        let end = loop {
            let (before, solved) = (state.instructions, state.solver_nanos);
            let slice = self.left(&state).min(SLICE).min(self.ledger.sample_in(&self.vm));
            self.ledger.record.runs(&self.vm, &mut state);
            let (vm, st) = (&mut self.vm, &mut *state);
            let step = catching(|| vm.run(st, slice)).unwrap_or_else(|panic| {
                if let (None, Some(make)) = (&vm.os, &self.make_os) {
                    vm.os = Some(make());
                }
                VmStep::Ended(Termination::Internal(panic))
            });
            self.ledger.ran(&mut self.vm, &state, before, solved);
            let forks = std::mem::take(&mut self.vm.forks);
            if !forks.is_empty() {
                self.ledger.record.forked(&self.vm, &mut state);
                let taken = match &step {
                    VmStep::Ended(_) => Met::end(),
                    _ => Met::of(&self.vm, &state),
                };
                let step = self.meet(&mut cursor, taken, forks, number, &mut ordinal);
                path.push(step);
            }
            for mut e in std::mem::take(&mut self.vm.ended) {
                self.ledger.end(&mut self.vm, &mut e.state, &e.termination, sink)?;
            }
            if let VmStep::Ended(end) = step {
                break end;
            }
            if self.left(&state) == 0 {
                break Termination::Limit(Limit::Instructions);
            }
            if !matches!(step, VmStep::Forked) || state.instructions.saturating_sub(looked) >= SLICE {
                looked = state.instructions;
                self.ledger.progress(&self.vm, self.tree.open(), false, sink)?;
                stop = self.ledger.stop(&mut self.vm, sink);
                if stop.is_some() {
                    break Termination::Limit(Limit::Time);
                }
            }
        };
        let Tape::Recording(said) = std::mem::take(&mut self.vm.tape) else {
            unreachable!("runs are recorded")
        };
        self.runs.push(Run { origin, said: said.into() });
        self.ledger.counters.executions += 1;
        self.ledger.end(&mut self.vm, &mut state, &end, sink)?;
        let stop = stop.or_else(|| self.ledger.stop(&mut self.vm, sink));
        let before = std::mem::replace(&mut self.path, path);
        if self.heuristic.last_path_only() {
            self.leave(&before);
        }
        self.stats.run_ended(&self.vm);
        self.heuristic.ran(view!(self));
        Ok(stop)
    }

    /// Snapshots beside the part of an earlier path that the last one does not share go.
    fn leave(&mut self, before: &[Step]) {
        let shared = before.iter().zip(&self.path).take_while(|(a, b)| a.node == b.node).count();
        for step in &before[shared..] {
            for arm in 0..self.tree.node(step.node).arms.len() as u32 {
                self.tree.evict(Step { node: step.node, arm });
            }
        }
    }

    /// Instructions that an execution may still take.
    fn left(&self, state: &State) -> u64 {
        self.options.instructions.saturating_sub(state.instructions.saturating_sub(state.main_at))
    }

    /// A decision: siblings become the arms that were not taken.
    #[allow(clippy::vec_box, reason = "the machine hands them over so")]
    fn meet(
        &mut self,
        cursor: &mut Cursor,
        taken: Met,
        forks: Vec<Box<State>>,
        run: u32,
        ordinal: &mut u64,
    ) -> Step {
        let keep = self.options.snapshots;
        let vm = &self.vm;
        let others = forks.into_iter().map(|sibling| {
            let met = Met::of(vm, &sibling);
            let (ordinal_here, place) = (*ordinal, sibling.place);
            let open = Open { run, ordinal: ordinal_here, place, snapshot: keep.then_some(sibling) };
            *ordinal += 1;
            (met, open)
        });
        let step = self.tree.meet(cursor, taken, others);
        if keep {
            let arms = self.tree.node(step.node).arms.len() as u32;
            let others = (0..arms).filter(|a| *a != step.arm).map(|arm| Step { node: step.node, arm });
            self.kept.extend(others);
            while self.options.most_snapshots.is_some_and(|most| self.tree.kept() > most)
                && let Some(oldest) = self.kept.pop_front()
            {
                self.tree.evict(oldest);
            }
        }
        step
    }

    /// What runs next; `None`: nothing is left to try.
    fn choose(&mut self, sink: &dyn Sink) -> Result<Option<Next>, StopReason> {
        if !self.beginnings.is_empty() {
            return Ok(self.next_beginning());
        }
        loop {
            if let Some(stop) = self.ledger.stop(&mut self.vm, sink) {
                return Err(stop);
            }
            self.ledger.counters.selections += 1;
            let Some(step) = self.heuristic.choose(view!(self)) else {
                if self.tree.open() == 0 {
                    return Ok(None);
                }
                return Ok(self.next_beginning());
            };
            if let Some(next) = self.negate(step) {
                return Ok(Some(next));
            }
        }
    }

    /// Negates a branch and tells the observer.
    fn negate(&mut self, step: Step) -> Option<Next> {
        let depth = self.tree.node(step.node).depth as usize;
        // What is negated is the arm that the last path took, or the first path that came by.
        let taken = self.path.get(depth).filter(|s| s.node == step.node).copied();
        let taken = taken.unwrap_or(Step { node: step.node, arm: 0 });
        let counters = &self.ledger.counters;
        let counts = (counters.selections, counters.executions);
        let choice = self.watch.as_mut().map(|w| w.chosen(view!(self), taken, step, counts));
        let next = self.arrive(taken, step);
        if let (Some(watch), Some(choice)) = (&mut self.watch, choice) {
            (watch.observer)(&Negation { success: next.is_some(), ..choice });
        }
        next
    }

    /// The state behind an arm, if there is one; afterwards the tree knows.
    fn arrive(&mut self, taken: Step, step: Step) -> Option<Next> {
        let open = self.tree.settle(step, Status::Taken)?;
        if open.run == NO_RUN {
            return Some(self.begin_at(open.ordinal as usize, None, step));
        }
        let snapshot = open.snapshot.or_else(|| {
            let vm = &mut self.vm;
            rerun(vm, &mut self.ledger, &mut self.roots, &self.runs, open.run, open.ordinal)
        });
        let Some(mut state) = snapshot else {
            self.vm.note(
                "a path could not be run again; a branch of it is left out (this is a bug of forkwise)",
            );
            self.tree.settle(step, Status::Unknown);
            return None;
        };
        state.place = open.place;
        self.vm.tape = Tape::Recording(Vec::new());
        let vm = &mut self.vm;
        let settled = catching(|| vm.settle_pending(&mut state));
        let status = match settled {
            Ok(Ok(true)) => {
                self.stats.negated(&self.tree, taken, true);
                let origin = Origin::Negation { run: open.run, ordinal: open.ordinal };
                let (path, cursor) = (self.tree.path_to(step), self.tree.after(step));
                return Some(Next { state, path, cursor, origin });
            }
            Ok(Ok(false)) => Status::Infeasible,
            Ok(Err(Termination::Limit(Limit::Solver(why)))) => {
                self.vm.note(format!("a branch was not negated: the solver gave no answer ({why})"));
                Status::Unknown
            }
            Ok(Err(end)) => {
                self.vm.note(format!("a branch was not negated: {end:?}"));
                Status::Unknown
            }
            Err(panic) => {
                self.vm.note(format!("a branch was not negated (this is a bug of forkwise): {panic}"));
                Status::Unknown
            }
        };
        self.stats.negated(&self.tree, taken, false);
        self.tree.settle(step, status);
        None
    }

    /// A run from the start of the program: the next known input, or a random one.
    fn next_beginning(&mut self) -> Option<Next> {
        if self.roots.is_empty() {
            return None;
        }
        let (root, values) = match self.beginnings.pop_front() {
            Some(b) => (b.root, Some(b.values)),
            None => (self.random.below(self.roots.len() as u64) as usize, None),
        };
        // Several beginnings are a decision like any other: a heuristic may negate it.
        let mut cursor = Cursor::root();
        let step = (self.roots.len() > 1).then(|| {
            let others = (0..self.roots.len() - 1).map(|i| {
                let i = i + usize::from(i >= root);
                let open =
                    Open { run: NO_RUN, ordinal: i as u64, place: TreePlace::default(), snapshot: None };
                (Met::beginning(i), open)
            });
            self.tree.meet(&mut cursor, Met::beginning(root), others)
        });
        let mut next = self.begin_root(root, values);
        next.cursor = cursor;
        next.path.extend(step);
        Some(next)
    }

    fn begin_at(&mut self, root: usize, values: Option<Values>, step: Step) -> Next {
        let mut next = self.begin_root(root, values);
        next.cursor = self.tree.after(step);
        next.path.push(step);
        next
    }

    fn begin_root(&mut self, root: usize, values: Option<Values>) -> Next {
        let salt = self.random.next_u64() | 1;
        self.vm.tape = Tape::Recording(Vec::new());
        let mut state = begin(&mut self.vm, &mut self.roots[root], values.as_ref(), salt);
        self.ledger.record.begin(&self.vm, &mut state);
        let origin = Origin::Beginning { root, values, salt };
        Next { state, path: Vec::new(), cursor: Cursor::root(), origin }
    }

    /// Progress, and memory: near the limit the oldest snapshots go, half of them at a time.
    fn housekeeping(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        self.ledger.progress(&self.vm, self.tree.open(), false, sink)?;
        if !self.ledger.memory_is_due() {
            return Ok(());
        }
        let used = self.ledger.memory();
        let Some(limit) = self.ledger.limits.memory else { return Ok(()) };
        if used <= limit / 10 * 8 {
            return Ok(());
        }
        let goes = self.kept.len().div_ceil(2);
        for step in self.kept.drain(..goes) {
            self.tree.evict(step);
        }
        let alive = self.tree.snapshots().chain(self.roots.iter().map(|r| &**r));
        self.vm.collect_garbage(alive);
        release_freed_memory();
        if self.kept.is_empty() && resident_bytes() > limit / 10 * 9 {
            self.vm.note("memory is short although no snapshot is kept any more");
        }
        Ok(())
    }
}

/// The "run" of arms that are beginnings of the program.
const NO_RUN: u32 = u32::MAX;
