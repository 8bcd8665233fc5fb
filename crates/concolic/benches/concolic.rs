//! `cargo xtask bench concolic`: executions a second of `bench/substitute.c` for every heuristic, with snapshots and without.
//! Ended paths are counted and forgotten, so that the loop, the machine and the solver are measured and nothing else.

use forkwise_concolic::features::COUNT;
use forkwise_concolic::heuristic::{Heuristic, Parametric};
use forkwise_concolic::{Concolic, Kind, Options};
use forkwise_explore::{Limits, PathEnd, Progress, Random, Sink, SinkError, Summary};
use forkwise_ir::{LoadOptions, Program, load};
use forkwise_solver::Solver;
use forkwise_vm::{Config, Strings, Vm};
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

const EXECUTIONS: u64 = 8_000;
/// Fewer executions a second are a regression.
const LEAST: f64 = 1_000.0;
const SEED: u64 = 1;

struct Forgetful;

impl Sink for Forgetful {
    fn path_ended(&mut self, _: &mut Vm, _: &PathEnd<'_>) -> Result<bool, SinkError> {
        Ok(true)
    }

    fn progress(&mut self, _: &Progress<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

fn program() -> Result<Rc<Program>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("no workspace")?;
    let folder = tempfile::tempdir()?;
    let bitcode = folder.path().join("substitute.bc");
    let status = Command::new("clang-19")
        .args(["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c", "-I"])
        .arg(root.join("runtime/include"))
        .arg(root.join("bench/substitute.c"))
        .arg("-o")
        .arg(&bitcode)
        .status()?;
    if !status.success() {
        return Err("clang-19 could not compile bench/substitute.c".into());
    }
    let options = LoadOptions { roots: vec!["main".into()], mem2reg: true, ..LoadOptions::default() };
    Ok(Rc::new(load(&[bitcode], &options)?))
}

fn heuristic(name: &str, program: &Program) -> Result<Box<dyn Heuristic>, Box<dyn Error>> {
    let mut random = Random::new(SEED);
    if name == "parametric" {
        return Ok(Box::new(Parametric::new(std::array::from_fn::<f64, COUNT, _>(|_| {
            random.below(2_001) as f64 / 1_000.0 - 1.0
        }))));
    }
    Ok(name.parse::<Kind>()?.build(program, &mut random))
}

fn measure(
    program: &Rc<Program>,
    name: &str,
    snapshots: bool,
) -> Result<(Summary, Concolic), Box<dyn Error>> {
    let mut vm = Vm::new(program.clone(), Solver::new(Default::default()), Config::default());
    let strings = Strings { args: vec![Vec::new()], env: Vec::new() };
    let first = vm.initial_state("main", |_, _| Ok(strings)).map_err(|e| e.to_string())?;
    let options = Options { executions: Some(EXECUTIONS), snapshots, ..Options::default() };
    let heuristic = heuristic(name, program)?;
    let limits = Limits::default();
    let mut concolic = Concolic::new(vm, vec![first], heuristic, SEED, limits, Default::default(), options);
    let summary = concolic.run(&mut Forgetful).map_err(|e| e.to_string())?;
    Ok((summary, concolic))
}

fn main() -> Result<(), Box<dyn Error>> {
    let program = program()?;
    println!("bench/substitute.c, {EXECUTIONS} executions each");
    println!(
        "{:14} {:>12} {:>9} {:>10} {:>9} {:>14}",
        "heuristic", "snapshots /s", "solving", "choices", "branches", "from main /s"
    );
    let mut slow = Vec::new();
    for name in ["random-branch", "dfs", "cfds", "cgs", "gen", "parametric"] {
        let (kept, concolic) = measure(&program, name, true)?;
        let (again, _) = measure(&program, name, false)?;
        let rate = |s: &Summary| s.counters.executions as f64 / s.elapsed.as_secs_f64();
        let solving = concolic.vm.solver.stats().nanos as f64 / 1e9 / kept.elapsed.as_secs_f64();
        let (covered, total) = concolic.vm.coverage.branches(&program);
        println!(
            "{name:14} {:>12.0} {:>8.0}% {:>10} {covered:>5}/{total} {:>14.0}",
            rate(&kept),
            100.0 * solving,
            kept.counters.selections,
            rate(&again)
        );
        if rate(&kept) < LEAST {
            slow.push(name);
        }
    }
    match slow.is_empty() {
        true => Ok(()),
        false => Err(format!("fewer than {LEAST} executions a second: {}", slow.join(", ")).into()),
    }
}
