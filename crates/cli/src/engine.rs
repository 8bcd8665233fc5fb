//! Putting the engine together from its parts: machine, solver chain, virtual operating system, searcher, limits.
//! `run` and `klee` differ in their options and in what they write, never in the engine.

use anyhow::{Context, anyhow};
use forkwise_explore::{Explorer, Limits, Search};
use forkwise_ir::Program;
use forkwise_posix::{Linux, Setup};
use forkwise_solver::Solver;
use forkwise_vm::{Config, State, Vm};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Everything an exploration follows from.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine's.
    pub vm: Config,
    /// The solver chain's.
    pub solver: forkwise_solver::Config,
    /// Who runs next.
    pub search: Search,
    /// Seed of everything random.
    pub seed: u64,
    /// When to stop.
    pub limits: Limits,
}

/// Sizes what one path may allocate, so that a runaway path is a finding before it is a problem of the process.
pub fn fit_path_memory(vm: &mut Config, limit: Option<u64>) {
    if let Some(limit) = limit {
        vm.max_path_memory = vm.max_path_memory.min(limit / 2);
    }
}

/// How a program is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The function to run (`main`).
    pub entry: String,
    /// Its arguments, environment, files and standard input.
    pub setup: Rc<Setup>,
}

/// A machine without an operating system, and the states at the start of a program.
#[allow(clippy::vec_box, reason = "states are boxed wherever they are kept")]
fn machine(
    program: Rc<Program>,
    settings: &Settings,
    start: &Start,
) -> anyhow::Result<(Vm, Vec<Box<State>>)> {
    let solver = Solver::new(settings.solver.clone());
    let config = Config { random_seed: settings.seed, ..settings.vm.clone() };
    let mut vm = Vm::new(program, solver, config);
    let initial = forkwise_posix::initial_states(&mut vm, &start.entry, &start.setup)
        .map_err(|e| anyhow!(e))
        .context("the program cannot be started")?;
    Ok((vm, initial))
}

/// A machine at the start of a program, to follow one path: the first one, or that of the seed.
pub fn single_path(
    program: Rc<Program>,
    settings: &Settings,
    start: &Start,
) -> anyhow::Result<(Vm, Box<State>)> {
    let (mut vm, initial) = machine(program, settings, start)?;
    vm.os = Some(Box::new(Linux::new(start.setup.clone())));
    let first = initial.into_iter().next().context("the program has no beginning")?;
    Ok((vm, first))
}

/// An explorer, and the states at the start of a program.
#[allow(clippy::vec_box, reason = "states are boxed wherever they are kept")]
pub fn explorer(
    program: Rc<Program>,
    settings: &Settings,
    start: &Start,
    interrupt: Arc<AtomicBool>,
) -> anyhow::Result<(Explorer, Vec<Box<State>>)> {
    let (vm, initial) = machine(program, settings, start)?;
    let mut explorer = Explorer::new(vm, &settings.search, settings.seed, settings.limits.clone(), interrupt);
    let setup = start.setup.clone();
    explorer.set_os(Box::new(move || Box::new(Linux::new(setup.clone()))));
    Ok((explorer, initial))
}
