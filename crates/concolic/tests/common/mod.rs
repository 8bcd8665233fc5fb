//! Shared by the tests: concolic testing of small C programs, and what it showed. Programs are compiled as the tests of
//! execution-generated testing compile theirs.
#![allow(dead_code)]

#[path = "../../../explore/tests/common/mod.rs"]
pub mod programs;

use forkwise_concolic::heuristic::Heuristic;
use forkwise_concolic::{Concolic, Kind, Negation, Options};
use forkwise_explore::{Limits, Random, Summary};
use forkwise_ir::Program;
use programs::{Seen, start};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A heuristic by name, as a run with this seed builds it.
pub fn heuristic(name: &str, program: &Program, seed: u64) -> Box<dyn Heuristic> {
    let kind: Kind = name.parse().unwrap_or_else(|e| panic!("{e}"));
    kind.build(program, &mut Random::new(seed))
}

/// What testing showed.
pub struct Tested {
    /// Ended paths.
    pub seen: Seen,
    /// What was chosen.
    pub choices: Vec<Negation>,
    /// Counters, and why it ended.
    pub summary: Summary,
    /// It, for what it knows afterwards.
    pub concolic: Concolic,
}

impl Tested {
    /// Choices that led to a run.
    pub fn successes(&self) -> Vec<Negation> {
        self.choices.iter().filter(|c| c.success).copied().collect()
    }

    /// Positions of the choices.
    pub fn positions(&self) -> Vec<usize> {
        self.choices.iter().map(|c| c.position).collect()
    }

    /// Covered arms of the user's branches.
    pub fn covered(&self) -> usize {
        self.concolic.vm.coverage.branches(&self.concolic.vm.program).0
    }
}

/// Executions that end a test which should have ended before.
pub const MANY: u64 = 2_000;

/// Options with a number of executions.
pub fn executions(n: u64) -> Options {
    Options { executions: Some(n), ..Options::default() }
}

/// Values of inputs by name.
pub type Input<'a> = &'a [(&'a str, &'a [u8])];

/// Tests a program from a known input; from a random one, if it is empty.
pub fn test_from(
    program: &Rc<Program>,
    heuristic: Box<dyn Heuristic>,
    seed: u64,
    options: Options,
    input: Input<'_>,
) -> Tested {
    let inputs = [input];
    test_inputs(program, heuristic, seed, options, if input.is_empty() { &[] } else { &inputs })
}

/// Tests a program from known inputs, one after the other.
pub fn test_inputs(
    program: &Rc<Program>,
    heuristic: Box<dyn Heuristic>,
    seed: u64,
    options: Options,
    inputs: &[Input<'_>],
) -> Tested {
    test_within(program, heuristic, seed, Limits::default(), options, inputs)
}

/// The same within limits.
pub fn test_within(
    program: &Rc<Program>,
    heuristic: Box<dyn Heuristic>,
    seed: u64,
    limits: Limits,
    options: Options,
    inputs: &[Input<'_>],
) -> Tested {
    let (vm, first) = start(program.clone());
    // Whatever is wrong, a test ends.
    let limits = Limits { instructions: Some(limits.instructions.unwrap_or(200_000_000)), ..limits };
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut concolic = Concolic::new(vm, vec![first], heuristic, seed, limits, interrupt, options);
    let choices: Rc<RefCell<Vec<Negation>>> = Rc::default();
    let hears = choices.clone();
    concolic.observe(Box::new(move |choice| hears.borrow_mut().push(*choice)));
    for input in inputs {
        let values: Vec<(String, Vec<u8>)> =
            input.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        assert!(concolic.add_beginning(&values), "the input fits");
    }
    let mut seen = Seen::default();
    let summary = concolic.run(&mut seen).unwrap_or_else(|e| panic!("{e}"));
    let choices = choices.borrow().clone();
    Tested { seen, choices, summary, concolic }
}

/// Tests a program with a heuristic of this name.
pub fn test(program: &Rc<Program>, name: &str, seed: u64, options: Options) -> Tested {
    test_from(program, heuristic(name, program, seed), seed, options, &[])
}
