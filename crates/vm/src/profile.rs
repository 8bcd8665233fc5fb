//! Where an exploration spends itself: forks and solving by place, counted as they happen; instructions by place and by
//! stack, sampled now and then. It costs next to nothing and decides nothing; whoever runs states takes the samples.

use crate::machine::Vm;
use crate::state::State;
use forkwise_ir::Program;
use rustc_hash::FxHashMap;

/// Instructions before the first sample, and at least between two.
const FIRST: u64 = 1_000;
/// Samples are this part of all instructions apart: many in a short run, a few thousand more in one that is ten times as long.
const PART: u64 = 4_000;
/// Stacks are cut here; deeper calls count with the last function that has a place.
const MAX_FRAMES: usize = 48;
/// Distinct stacks; further ones count with their callers.
const MAX_STACKS: usize = 1 << 14;

/// What one place of the program took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Instructions, as samples tell.
    pub instructions: u64,
    /// States that were forked there.
    pub forks: u64,
    /// Time of the solver for questions that were asked there, in nanoseconds.
    pub solver_nanos: u64,
}

/// A function on a stack: a node of the tree of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The caller's node; the root is its own.
    pub caller: u32,
    /// The function.
    pub func: u32,
    /// Instructions executed in it, without those of what it called.
    pub instructions: u64,
}

/// See the module text.
#[derive(Debug)]
pub struct Profile {
    /// By location number.
    pub places: Vec<Spent>,
    /// Stacks, callers before what they call; the first is the root and no function.
    pub stacks: Vec<Stack>,
    /// Looked up, never walked.
    callees: FxHashMap<(u32, u32), u32>,
    last: u64,
    next: u64,
}

impl Profile {
    /// Nothing was spent yet.
    pub fn new(program: &Program) -> Profile {
        Profile {
            places: vec![Spent::default(); program.locations.len()],
            stacks: vec![Stack { caller: 0, func: u32::MAX, instructions: 0 }],
            callees: FxHashMap::default(),
            last: 0,
            next: FIRST,
        }
    }

    /// Instructions that may be executed before the next sample, given how many were; at least 1.
    pub fn due_in(&self, executed: u64) -> u64 {
        self.next.saturating_sub(executed).max(1)
    }

    /// Takes a sample of the running state if it is time for one: what was executed since the last one counts here.
    pub fn sample(&mut self, program: &Program, st: &State, executed: u64) {
        if executed < self.next {
            return;
        }
        let weight = executed.saturating_sub(self.last);
        self.last = executed;
        self.next = executed + FIRST.max(executed / PART);
        let location = location(program, st);
        if let Some(place) = self.places.get_mut(location as usize) {
            place.instructions += weight;
        }
        let mut functions: Vec<u32> = st.frames().map(|f| f.func).collect();
        functions.reverse();
        functions.truncate(MAX_FRAMES);
        let mut at = 0;
        for func in functions {
            at = match self.callees.get(&(at, func)) {
                Some(next) => *next,
                None if self.stacks.len() >= MAX_STACKS => break,
                None => {
                    let next = self.stacks.len() as u32;
                    self.stacks.push(Stack { caller: at, func, instructions: 0 });
                    self.callees.insert((at, func), next);
                    next
                }
            };
        }
        self.stacks[at as usize].instructions += weight;
    }

    pub(crate) fn count(&mut self, location: u32, forks: u64, nanos: u64) {
        if let Some(place) = self.places.get_mut(location as usize) {
            place.forks += forks;
            place.solver_nanos += nanos;
        }
    }
}

/// Location number of the operation that a state is at.
fn location(program: &Program, st: &State) -> u32 {
    let function = program.functions.get(st.frame.func as usize);
    function.and_then(|f| f.locs.get(st.frame.pc as usize)).copied().unwrap_or(0)
}

impl Vm {
    /// A state was forked from this one.
    pub(crate) fn count_fork(&mut self, st: &State) {
        self.fork_count += 1;
        let at = self.current_loc(st);
        self.profile.count(at, 1, 0);
    }

    /// The solver took so long for this state.
    pub(crate) fn count_solving(&mut self, st: &mut State, nanos: u64) {
        st.solver_nanos += nanos;
        let at = self.current_loc(st);
        self.profile.count(at, 0, nanos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::state::Frame;

    #[test]
    fn samples_come_less_and_less_often() {
        let program = Program::default();
        let mut profile = Profile::new(&program);
        let mut state = State::new(1, Frame::empty(), Memory::new(1, 1));
        state.push_frame(Frame { func: 7, ..Frame::empty() });
        let mut executed = 0;
        let mut samples = 0;
        while executed < 100_000_000 {
            executed += profile.due_in(executed);
            profile.sample(&program, &state, executed);
            samples += 1;
        }
        assert!((5_000..25_000).contains(&samples), "{samples}");
        let last = profile.stacks.last().copied().expect("there is a stack");
        assert_eq!((last.func, last.caller, last.instructions), (7, 1, executed));
        assert_eq!(profile.stacks.len(), 3);
    }

    #[test]
    fn endless_recursion_stays_bounded() {
        let program = Program::default();
        let mut profile = Profile::new(&program);
        let mut state = State::new(1, Frame::empty(), Memory::new(1, 1));
        for func in 0..100_000 {
            state.push_frame(Frame { func, ..Frame::empty() });
        }
        profile.sample(&program, &state, 5_000);
        assert_eq!(profile.stacks.len(), MAX_FRAMES + 1);
        assert_eq!(profile.stacks.iter().map(|s| s.instructions).sum::<u64>(), 5_000);
    }
}
