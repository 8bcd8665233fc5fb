//! `cargo xtask bench engine`: how fast the engine is, as ratios measured in one run on this machine: interpreting
//! concrete code against the native program, the solver chain against its parts, forking by states and bytes. The
//! programs are in `bench/`; the engine is the release build, asked through its `--json` output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::engine::{self, Run, human};
use crate::musl::{CLANG, TARGET};
use crate::workspace::{Workspace, capture, create_dir, display, remove, run as run_command};
use crate::{examples, setup};

/// Programs without input: the engine interprets them, the machine runs them, both at -O1.
const CONCRETE: &[&str] = &["mix", "quicksort", "strings"];

/// Slower than this against native code is a regression (the mixing loop's other bound is in operations).
const MOST_TIMES_NATIVE: f64 = 15.0;
/// The mixing loop runs at least this many operations a second.
const LEAST_MIX_RATE: f64 = 250e6;
/// A fork that changes nothing else costs at most this many bytes.
const MOST_BYTES_PER_FORK: f64 = 2048.0;

/// Options of `forkwise run` for the forking measurement: all states alive at once, and nothing is run natively.
const FORKING_OPTIONS: &[&str] = &["--search", "bfs", "--no-replay", "--no-tests"];
/// The option of `forkwise run` that records every solver query into a file.
const LOG_QUERIES: &str = "--log-queries";

/// A part of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Interpreting concrete code.
    Concrete,
    /// The solver chain on recorded queries.
    Solving,
    /// Forking.
    Forking,
}

/// Measures the parts (all of them if none is named), each as the median of `runs`.
pub fn engine(workspace: &Workspace, parts: &[Part], runs: usize) -> Result<()> {
    setup::run(workspace)?;
    engine::build_release(workspace)?;
    let folder = workspace.target.join("bench");
    remove(&folder)?;
    create_dir(&folder)?;
    let bench = Bench { workspace, folder, runs: runs.max(1) };
    let wanted = |part| parts.is_empty() || parts.contains(&part);
    let mut missed = Vec::new();
    if wanted(Part::Concrete) {
        missed.extend(bench.concrete()?);
    }
    if wanted(Part::Forking) {
        missed.extend(bench.forking()?);
    }
    if wanted(Part::Solving) {
        bench.solving()?;
    }
    for target in &missed {
        println!("bench: missed: {target}");
    }
    if !missed.is_empty() {
        bail!("{} of the targets were missed", missed.len());
    }
    Ok(())
}

/// Measures the searches; the measurement itself is `crates/explore/benches/search.rs`.
pub fn search(workspace: &Workspace) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["bench", "--quiet", "--package", "forkwise-explore", "--bench", "search"]);
    run_command(command.current_dir(&workspace.root))
}

struct Bench<'a> {
    workspace: &'a Workspace,
    folder: PathBuf,
    runs: usize,
}

impl Bench<'_> {
    fn source(&self, name: &str) -> PathBuf {
        self.workspace.root.join("bench").join(name).with_extension("c")
    }

    /// Compiles a program of `bench/` to bitcode as the engine's own front end would, at a level of our choice.
    fn bitcode(&self, name: &str, tag: &str, flags: &[&str]) -> Result<PathBuf> {
        let out = self.folder.join(format!("{name}{tag}.bc"));
        let mut command = Command::new(CLANG);
        command.arg(format!("--target={TARGET}")).args(["-nostdlibinc", "-isystem"]);
        command.arg(self.workspace.runtime().join("include"));
        command.args(["-g", "-emit-llvm", "-c"]).args(flags).arg(self.source(name)).arg("-o").arg(&out);
        capture(&mut command)?;
        Ok(out)
    }

    fn explore(&self, program: &Path, options: &[&str]) -> Result<Run> {
        // Results of a measurement are not kept: they would fill the disk, not answer a question.
        let scratch = self.folder.join("run");
        remove(&scratch)?;
        engine::explore(self.workspace, program, options, &scratch)
    }

    fn median_run(&self, program: &Path, options: &[&str]) -> Result<Run> {
        let mut runs = (0..self.runs).map(|_| self.explore(program, options)).collect::<Result<Vec<_>>>()?;
        runs.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        Ok(runs.swap_remove(self.runs / 2))
    }

    /// Interpreter time / native -O1 time, and operations a second.
    fn concrete(&self) -> Result<Vec<String>> {
        println!("\nConcrete code at -O1, median of {}", self.runs);
        println!(
            "{:12} {:>10} {:>10} {:>8} {:>16} {:>10}",
            "program", "native s", "engine s", "ratio", "instructions", "per s"
        );
        let mut missed = Vec::new();
        for name in CONCRETE {
            let native = self.folder.join(name);
            capture(
                Command::new(CLANG)
                    .args(["-O1", "-fno-vectorize"])
                    .arg(self.source(name))
                    .arg("-o")
                    .arg(&native),
            )?;
            let native_seconds = self.median_native(&native)?;
            let bitcode = self.bitcode(name, "", &["-O1", "-fno-vectorize", "-fno-slp-vectorize"])?;
            let run = self.median_run(&bitcode, &["--no-replay"])?;
            // The programs check their own result: an abort would be a bug of the engine.
            if !run.bugs().is_empty() || run.number("/paths/completed") != 1.0 {
                bail!("{name}: the engine did not compute what the native program computes: {}", run.json);
            }
            let ratio = run.seconds() / native_seconds;
            let rate = run.number("/instructions") / run.seconds();
            println!(
                "{name:12} {native_seconds:>10.3} {:>10.3} {ratio:>7.1}x {:>16} {:>10}",
                run.seconds(),
                human(run.number("/instructions")),
                human(rate)
            );
            if ratio > MOST_TIMES_NATIVE {
                missed.push(format!(
                    "{name} takes {ratio:.1} times native, at most {MOST_TIMES_NATIVE} wanted"
                ));
            }
            if *name == "mix" && rate < LEAST_MIX_RATE {
                missed.push(format!(
                    "mix runs {} operations/s, {} wanted",
                    human(rate),
                    human(LEAST_MIX_RATE)
                ));
            }
        }
        Ok(missed)
    }

    fn median_native(&self, program: &Path) -> Result<f64> {
        let mut seconds = Vec::new();
        for _ in 0..self.runs {
            let mut command = Command::new(program);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            let started = Instant::now();
            let status = command.status().with_context(|| format!("cannot start {}", display(&command)))?;
            seconds.push(started.elapsed().as_secs_f64());
            if !status.success() {
                bail!("{} ended with {status}", display(&command));
            }
        }
        seconds.sort_by(f64::total_cmp);
        Ok(seconds[self.runs / 2])
    }

    /// States a second and bytes a fork, with all 2^17 states alive at once.
    fn forking(&self) -> Result<Vec<String>> {
        let flags = ["-O0", "-Xclang", "-disable-O0-optnone"];
        let program = self.bitcode("fork17", "", &flags)?;
        // What the engine needs without forks: the same program with one branch.
        let mut small = vec!["-DBRANCHES=1"];
        small.extend(flags);
        let baseline = self.explore(&self.bitcode("fork17", "-baseline", &small)?, FORKING_OPTIONS)?;
        let run = self.median_run(&program, FORKING_OPTIONS)?;
        let paths = run.number("/paths/completed");
        if paths != 131_072.0 {
            bail!("fork17 has 131072 paths, the engine found {paths}: {}", run.json);
        }
        let forks = paths - 1.0;
        let megabytes = run.number("/memory_peak_mb") - baseline.number("/memory_peak_mb");
        let bytes = megabytes * 1024.0 * 1024.0 / forks;
        println!("\nForking: 17 independent branches, breadth first, median of {}", self.runs);
        println!(
            "{} paths in {:.2} s: {} states/s, {} alive at the peak, {:.0} MB ({bytes:.0} bytes a fork), {} queries, {} SAT calls",
            human(paths),
            run.seconds(),
            human(paths / run.seconds()),
            human(run.number("/states/peak")),
            run.number("/memory_peak_mb"),
            human(run.number("/solver/queries")),
            human(run.number("/solver/sat_calls")),
        );
        let mut missed = Vec::new();
        if bytes > MOST_BYTES_PER_FORK {
            missed.push(format!("a fork costs {bytes:.0} bytes, at most {MOST_BYTES_PER_FORK} wanted"));
        }
        Ok(missed)
    }

    /// Queries a second of the chain, of the chain without each of its layers, and of the z3 program, on the queries that
    /// exploring the examples asks.
    fn solving(&self) -> Result<()> {
        println!("\nSolving: the queries of the examples");
        let traces = self.folder.join("traces");
        create_dir(&traces)?;
        let mut recorded = Vec::new();
        let examples = examples::all(self.workspace)?;
        for example in examples.into_iter().filter(|example| !example.command.built) {
            let trace = traces.join(&example.name).with_extension("trace");
            let place = trace.display().to_string();
            let mut options = vec!["--no-replay", "--time", "20s", LOG_QUERIES, &place];
            options.extend(example.command.options.iter().map(String::as_str));
            self.explore(&example.path, &options)?;
            if fs::metadata(&trace).is_ok_and(|meta| meta.len() > 0) {
                recorded.push(trace);
            }
        }
        if recorded.is_empty() {
            bail!("no example asked the solver anything");
        }
        run_command(Command::new(self.workspace.forkwise()).arg("solver-bench").args(&recorded))
    }
}
