//! Shared by the tests: small C programs, compiled without a C library, and what an exploration of one shows.
#![allow(dead_code)]

use forkwise_explore::{Explorer, Limits, PathEnd, Progress, Search, Sink, SinkError};
use forkwise_ir::{LoadOptions, Program, load};
use forkwise_solver::Solver;
use forkwise_vm::{Config, State, Strings, Termination, Vm};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What every program may use.
const PRELUDE: &str = "
void klee_make_symbolic(void *at, unsigned long size, const char *name);
void klee_assume(unsigned long condition);
void *malloc(unsigned long size);
#define SYMBOLIC(x) klee_make_symbolic(&(x), sizeof(x), #x)
/* `who` as a constant below n, each on a path of its own. */
static int decide(unsigned char who, int n) {
  int i;
  for (i = 0; i < n - 1; i++) if (who == i) break;
  return i;
}
";

/// The status with which the path that a test looks for ends.
pub const FOUND: i32 = 42;

/// Compiles and loads C text.
pub fn program(source: &str) -> Rc<Program> {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let (c, bc) = (dir.path().join("program.c"), dir.path().join("program.bc"));
    std::fs::write(&c, format!("{PRELUDE}{source}")).expect("a file can be written");
    let out = Command::new("clang-19")
        .args(["-w", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-builtin", "-emit-llvm", "-c"])
        .arg(&c)
        .arg("-o")
        .arg(&bc)
        .output()
        .expect("clang-19 is installed");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let options = LoadOptions { roots: vec!["main".into()], mem2reg: true, ..LoadOptions::default() };
    Rc::new(load(&[bc], &options).unwrap_or_else(|e| panic!("{e}")))
}

/// A machine and the state at the start of the program.
pub fn start(program: Rc<Program>) -> (Vm, Box<State>) {
    let mut vm = Vm::new(program, Solver::new(Default::default()), Config::default());
    let strings = Strings { args: vec![Vec::new()], env: Vec::new() };
    let first = vm.initial_state("main", |_, _| Ok(strings)).unwrap_or_else(|e| panic!("{e}"));
    (vm, first)
}

/// One ended path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Exit status; `None` when it did not exit.
    pub status: Option<i32>,
    /// Its inputs, one after the other.
    pub input: Vec<u8>,
    /// Instructions executed on it.
    pub instructions: u64,
}

/// What an exploration showed.
#[derive(Debug, Default)]
pub struct Seen {
    /// In the order in which they ended.
    pub paths: Vec<Path>,
    stop_when_found: bool,
}

impl Seen {
    /// Statuses in the order in which paths exited.
    pub fn statuses(&self) -> Vec<i32> {
        self.paths.iter().filter_map(|p| p.status).collect()
    }

    /// Did a path end with [`FOUND`]?
    pub fn found(&self) -> bool {
        self.paths.iter().any(|p| p.status == Some(FOUND))
    }
}

impl Sink for Seen {
    fn path_ended(&mut self, vm: &mut Vm, end: &PathEnd<'_>) -> Result<bool, SinkError> {
        self.paths.push(Path {
            status: match end.termination {
                Termination::Exit(status) => Some(*status),
                Termination::Limit(_) => None,
                other => panic!("{other:?}"),
            },
            input: vm.input_bytes(end.state).into_iter().flat_map(|i| i.1).collect(),
            instructions: end.state.instructions,
        });
        Ok(true)
    }

    fn progress(&mut self, _: &Progress<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn satisfied(&self) -> bool {
        self.stop_when_found && self.found()
    }
}

/// A search by its name.
pub fn search(name: &str) -> Search {
    Search::parse(&[name.to_string()]).unwrap_or_else(|e| panic!("{e}"))
}

/// Explores.
pub fn explore(program: &Rc<Program>, how: &Search, seed: u64, budget: u64) -> Seen {
    explore_until(program, how, seed, budget, false)
}

/// Is the path that ends with [`FOUND`] found within the budget?
pub fn finds(program: &Rc<Program>, how: &Search, seed: u64, budget: u64) -> bool {
    explore_until(program, how, seed, budget, true).found()
}

fn explore_until(program: &Rc<Program>, how: &Search, seed: u64, budget: u64, stop_when_found: bool) -> Seen {
    let mut seen = Seen { stop_when_found, ..Seen::default() };
    let (mut explorer, first) = explorer(program, how, seed, budget);
    explorer.run(vec![first], &mut seen).unwrap_or_else(|e| panic!("{e}"));
    seen
}

/// An explorer at the start of the program.
pub fn explorer(program: &Rc<Program>, how: &Search, seed: u64, budget: u64) -> (Explorer, Box<State>) {
    let (vm, first) = start(program.clone());
    let limits = Limits { instructions: Some(budget), ..Limits::default() };
    (Explorer::new(vm, how, seed, limits, Arc::new(AtomicBool::new(false))), first)
}
