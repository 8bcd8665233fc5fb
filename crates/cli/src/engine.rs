//! Putting the engine together from its parts: machine, solver chain, virtual operating system, searcher, limits.
//! `run` and `klee` differ in their options and in what they write, never in the engine.

use crate::run::plan::{Chooser, Plan};
use anyhow::{Context, anyhow};
use forkwise_concolic::{Concolic, Kind, Options, PureRandom};
use forkwise_explore::{Bugs, Explorer, Limits, Random, Record, Search, Sink, SinkError, Summary};
use forkwise_ir::Program;
use forkwise_posix::{Argument, Linux, Setup};
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
pub fn machine(
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

/// Whatever explores a program.
#[allow(clippy::vec_box, reason = "states are boxed wherever they are kept")]
pub enum Engine {
    /// All paths at once, from these states.
    Explore(Box<Explorer>, Vec<Box<State>>),
    /// Path after path.
    Concolic(Box<Concolic>),
    /// Random inputs.
    PureRandom(Box<PureRandom>),
}

impl Engine {
    /// The engine of a plan.
    pub fn new(
        program: Rc<Program>,
        settings: &Settings,
        plan: &Plan,
        start: &Start,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Engine> {
        match plan {
            Plan::Explore(search) => {
                let settings = Settings { search: search.clone(), ..settings.clone() };
                let (explorer, initial) = explorer(program, &settings, start, interrupt)?;
                Ok(Engine::Explore(Box::new(explorer), initial))
            }
            Plan::Concolic(Chooser::Named(Kind::PureRandom), options) => {
                pure_random(program, settings, options, start, interrupt)
            }
            Plan::Concolic(chooser, options) => {
                let (vm, roots) = machine(program, settings, start)?;
                let heuristic = chooser.build(&vm.program, &mut Random::new(settings.seed));
                let (seed, limits) = (settings.seed, settings.limits.clone());
                let mut concolic =
                    Concolic::new(vm, roots, heuristic, seed, limits, interrupt, options.clone());
                let setup = start.setup.clone();
                concolic.set_os(Box::new(move || Box::new(Linux::new(setup.clone()))));
                Ok(Engine::Concolic(Box::new(concolic)))
            }
        }
    }

    /// The machine.
    pub fn vm(&self) -> &Vm {
        match self {
            Engine::Explore(e, _) => &e.vm,
            Engine::Concolic(c) => &c.vm,
            Engine::PureRandom(p) => &p.vm,
        }
    }

    /// The machine.
    pub fn vm_mut(&mut self) -> &mut Vm {
        match self {
            Engine::Explore(e, _) => &mut e.vm,
            Engine::Concolic(c) => &mut c.vm,
            Engine::PureRandom(p) => &mut p.vm,
        }
    }

    /// Distinct bugs so far.
    pub fn bugs(&self) -> &Bugs {
        match self {
            Engine::Explore(e, _) => e.bugs(),
            Engine::Concolic(c) => c.bugs(),
            Engine::PureRandom(p) => p.bugs(),
        }
    }

    /// The execution tree.
    pub fn record(&self) -> &Record {
        match self {
            Engine::Explore(e, _) => e.record(),
            Engine::Concolic(c) => c.record(),
            Engine::PureRandom(p) => p.record(),
        }
    }

    /// Explores until nothing is left or a limit ends it.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<Summary, SinkError> {
        match self {
            Engine::Explore(e, initial) => e.run(std::mem::take(initial), sink),
            Engine::Concolic(c) => c.run(sink),
            Engine::PureRandom(p) => p.run(sink),
        }
    }
}

fn pure_random(
    program: Rc<Program>,
    settings: &Settings,
    options: &Options,
    start: &Start,
    interrupt: Arc<AtomicBool>,
) -> anyhow::Result<Engine> {
    // One machine is started in the usual way, so that what is wrong with the program is said here.
    let (vm, _) = machine(program, settings, start)?;
    let (setup, entry) = (start.setup.clone(), start.entry.clone());
    let make_state = move |vm: &mut Vm, random: &mut Random| {
        vm.config.seed_inputs.clear();
        for argument in &setup.args {
            if let Argument::Range { min, max, .. } = argument {
                let n = min + random.below(u64::from(max - min) + 1) as u32;
                vm.config.seed_inputs.push(("n_args".into(), n.to_le_bytes().to_vec()));
            }
        }
        let states = forkwise_posix::initial_states(vm, &entry, &setup)?;
        states.into_iter().next().ok_or_else(|| "the program has no beginning".to_string())
    };
    let setup = start.setup.clone();
    let make_os = Box::new(move || Box::new(Linux::new(setup.clone())) as Box<dyn forkwise_vm::Os>);
    let pure = PureRandom::new(
        vm,
        Box::new(make_state),
        make_os,
        settings.seed,
        settings.limits.clone(),
        interrupt,
        options.clone(),
    );
    Ok(Engine::PureRandom(Box::new(pure)))
}
