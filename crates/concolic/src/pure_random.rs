//! The baseline: random inputs, no path information at all. Inputs are concrete, so the program runs without the symbolic
//! part of the machine; nothing forks and nothing is solved.

use forkwise_explore::{
    Bugs, Ledger, Limits, MakeOs, Random, Record, Sink, SinkError, StopReason, Summary, catching,
};
use forkwise_vm::{Limit, State, Step, Termination, Vm};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Instructions between two looks at the clock.
const SLICE: u64 = 1_000_000;

/// Makes the state at the start of the program on an input; the machine's configuration says how it is drawn.
pub type MakeState = Box<dyn FnMut(&mut Vm, &mut Random) -> Result<Box<State>, String>>;

/// See the module text.
pub struct PureRandom {
    /// The machine.
    pub vm: Vm,
    ledger: Ledger,
    random: Random,
    make_state: MakeState,
    make_os: MakeOs,
    options: crate::Options,
}

impl PureRandom {
    /// Everything random follows from `seed`; setting `interrupt` ends it.
    pub fn new(
        mut vm: Vm,
        make_state: MakeState,
        make_os: MakeOs,
        seed: u64,
        limits: Limits,
        interrupt: Arc<AtomicBool>,
        options: crate::Options,
    ) -> PureRandom {
        vm.config.concrete_inputs = true;
        vm.os = Some(make_os());
        let (ledger, random) = (Ledger::new(limits, interrupt), Random::new(seed));
        PureRandom { vm, ledger, random, make_state, make_os, options }
    }

    /// Distinct bugs seen so far, and how often.
    pub fn bugs(&self) -> &Bugs {
        &self.ledger.bugs
    }

    /// The execution tree.
    pub fn record(&self) -> &Record {
        &self.ledger.record
    }

    /// Runs until a limit says stop.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<Summary, SinkError> {
        self.ledger.begin(&mut self.vm);
        let stop = loop {
            self.ledger.progress(&self.vm, 1, false, sink)?;
            if let Some(stop) = self.execute(sink)? {
                break stop;
            }
            if self.options.executions.is_some_and(|n| self.ledger.counters.executions >= n) {
                break StopReason::Executions;
            }
        };
        self.ledger.progress(&self.vm, 0, true, sink)?;
        Ok(self.ledger.summary(&self.vm, stop))
    }

    fn execute(&mut self, sink: &mut dyn Sink) -> Result<Option<StopReason>, SinkError> {
        self.vm.config.salt = self.random.next_u64() | 1;
        let mut state = (self.make_state)(&mut self.vm, &mut self.random)?;
        self.ledger.record.begin(&self.vm, &mut state);
        let mut stop = None;
        let end = loop {
            let (before, solved) = (state.instructions, state.solver_nanos);
            let slice = SLICE.min(self.ledger.sample_in(&self.vm));
            let (vm, st) = (&mut self.vm, &mut *state);
            let step = catching(|| vm.run(st, slice)).unwrap_or_else(|panic| {
                vm.os.get_or_insert_with(|| (self.make_os)());
                Step::Ended(Termination::Internal(panic))
            });
            self.ledger.ran(&mut self.vm, &state, before, solved);
            self.vm.forks.clear();
            self.vm.ended.clear();
            match step {
                Step::Ended(end) => break end,
                Step::Forked => {}
                Step::Budget | Step::Paused => {
                    self.ledger.progress(&self.vm, 1, false, sink)?;
                    stop = self.ledger.stop(&mut self.vm, sink);
                    if stop.is_some() {
                        break Termination::Limit(Limit::Time);
                    }
                    if state.instructions.saturating_sub(state.main_at) >= self.options.instructions {
                        break Termination::Limit(Limit::Instructions);
                    }
                }
            }
        };
        self.ledger.counters.executions += 1;
        self.ledger.end(&mut self.vm, &mut state, &end, sink)?;
        Ok(stop.or_else(|| self.ledger.stop(&mut self.vm, sink)))
    }
}
