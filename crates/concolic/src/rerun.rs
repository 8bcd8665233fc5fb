//! Running a path again up to a place beside it. A run is known by where it began and by what the solver said on the
//! way ([`Said`]), so running it again asks the solver nothing and arrives at exactly the state that was there before.

use forkwise_explore::Ledger;
use forkwise_vm::{Said, State, Step, Tape, Vm};
use std::rc::Rc;

/// Instructions between two looks at the budget.
const SLICE: u64 = 100_000;

/// Values of inputs by name.
pub type Values = Rc<[(String, Vec<u8>)]>;

/// Where a run began.
#[derive(Clone, Debug)]
pub enum Origin {
    /// At a beginning of the program, with known or random inputs.
    Beginning {
        /// Which one.
        root: usize,
        /// The inputs; random ones follow from `salt`.
        values: Option<Values>,
        /// See `values`.
        salt: u64,
    },
    /// Beside an earlier run.
    Negation {
        /// That run.
        run: u32,
        /// How many siblings it had left behind before this one.
        ordinal: u64,
    },
}

/// One execution.
pub struct Run {
    /// Where it began.
    pub origin: Origin,
    /// What the solver said.
    pub said: Rc<[Said]>,
}

/// A state at a beginning.
pub fn begin(vm: &mut Vm, root: &mut State, values: Option<&Values>, salt: u64) -> Box<State> {
    let mut st = root.fork(root.id);
    vm.randomize_inputs(&mut st, salt);
    if let Some(values) = values {
        vm.add_seed(&mut st, values);
    }
    st
}

/// The sibling number `ordinal` of a run, as it was when the run left it behind. `None`: the path is not the same any more,
/// which is our error.
pub fn rerun(
    vm: &mut Vm,
    ledger: &mut Ledger,
    roots: &mut [Box<State>],
    runs: &[Run],
    run: u32,
    ordinal: u64,
) -> Option<Box<State>> {
    let mut way = vec![(run, ordinal)];
    let (root, values, salt) = loop {
        match &runs[way[way.len() - 1].0 as usize].origin {
            Origin::Beginning { root, values, salt } => break (*root, values.as_ref(), *salt),
            Origin::Negation { run, ordinal } => way.push((*run, *ordinal)),
        }
    };
    let mut st = begin(vm, &mut roots[root], values, salt);
    for (run, ordinal) in way.into_iter().rev() {
        vm.tape = Tape::Playing(runs[run as usize].said.clone(), 0);
        let next = match vm.settle_pending(&mut st) {
            Ok(true) => leave_at(vm, ledger, &mut st, ordinal),
            _ => None,
        };
        vm.skip_siblings = 0;
        vm.forks.clear();
        vm.ended.clear();
        st = next?;
    }
    vm.tape = Tape::Off;
    Some(st)
}

/// Runs until the sibling is there.
fn leave_at(vm: &mut Vm, ledger: &mut Ledger, st: &mut State, ordinal: u64) -> Option<Box<State>> {
    vm.skip_siblings = ordinal;
    loop {
        let before = st.instructions;
        let step = vm.run(st, SLICE);
        ledger.executed(before, st.instructions);
        if !vm.forks.is_empty() {
            return Some(vm.forks.swap_remove(0));
        }
        // What ended beside the path was reported when it was run for the first time.
        vm.ended.clear();
        match step {
            Step::Budget | Step::Paused | Step::Forked => {}
            Step::Ended(_) => return None,
        }
    }
}
