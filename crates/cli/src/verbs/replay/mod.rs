//! `forkwise replay`: a program, natively, on tests: what it does, and whether that is what the tests predict.
//! Results are shown in the tests' order, however many run at a time. Read `build` for how a program is made from
//! sources, `results` for what is shown.

pub mod build;
mod results;

use self::build::BuildArgs;
use self::results::Results;
use super::tests::{expand, program_and_tests};
use crate::run::options::duration;
use crate::{console, memory_size, signals};
use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use forkwise_replay::batch::{ReplayError, replay_files};
use forkwise_replay::gcov::{self, Sources};
use forkwise_replay::{BatchOptions, Limits, Program, RunError, Runner, RunnerOptions, klee_replay};
use forkwise_testcase::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run a program natively on tests and compare with what they predict
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The program (an executable, .c, .bc or .ll), then tests (.ktest, .test.json), folders with tests, or result
    /// folders; a result folder names its program itself
    #[arg(value_name = "[PROGRAM] TEST", required = true, value_hint = ValueHint::AnyPath)]
    names: Vec<PathBuf>,
    #[command(flatten)]
    build: BuildArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Show the branches that each test covers, if the program was built by forkwise cc
    #[arg(long)]
    coverage: bool,
    /// The program was built with gcc --coverage: report covered branches and lines
    #[arg(long)]
    gcov: bool,
    /// Source files that count for --gcov: a folder, or a pattern such as 'src/*.c' (may be repeated)
    #[arg(long, value_name = "DIR|GLOB", requires = "gcov")]
    sources: Vec<String>,
    /// Show only bugs, what is not as predicted, and totals
    #[arg(short, long)]
    quiet: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Print what klee-replay prints
    #[arg(long, conflicts_with_all = ["json", "gcov", "coverage"])]
    klee_output: bool,
}

/// What native runs may use.
#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// Longest time of a run
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", help_heading = "Limits")]
    timeout: Duration,
    /// Most memory of a run
    #[arg(long, value_name = "SIZE", value_parser = memory_size::parse, help_heading = "Limits")]
    memory: Option<u64>,
    /// Runs at a time (0: one per processor)
    #[arg(short, long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    jobs: usize,
}

impl LimitArgs {
    /// For a batch.
    pub fn batch(&self) -> BatchOptions {
        let mut limits = Limits { wall: self.timeout, ..Limits::default() };
        limits.address_space = self.memory.or(limits.address_space);
        BatchOptions { jobs: self.jobs, limits }
    }
}

/// A runner that ends with Ctrl-C; tells when it cannot isolate.
pub fn runner(gcov: bool) -> anyhow::Result<Runner> {
    let cancel = signals::interrupt_flag()?;
    let runner = Runner::new(&RunnerOptions { cancel, gcov, ..RunnerOptions::default() })?;
    if let Some(warning) = runner.warning() {
        console::err_line(&format!("forkwise: note: {warning}"));
    }
    Ok(runner)
}

/// `forkwise replay`.
pub fn main(args: &ReplayArgs) -> anyhow::Result<u8> {
    let (path, tests) = program_and_tests(&args.names)?;
    let files = expand(&tests)?;
    if let [only] = files.as_slice() {
        // A bad file is told before anything is built for it.
        json::read(only)?;
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let program = build::program(&args.build, &path, folder.path())?;
    let runner = runner(args.gcov)?;
    if args.klee_output {
        return klee_output(&runner, &program, &path, &files, &args.limits.batch().limits);
    }
    if args.coverage && program.counters().is_none() {
        return Err(anyhow!("{} does not count its branches: build it with forkwise cc", path.display()));
    }
    let done = replay_files(&runner, &program, files, &args.limits.batch(), &|_, _| {});
    if done.iter().any(|one| matches!(one.result, Err(ReplayError::Run(RunError::Cancelled)))) {
        return Err(anyhow!("interrupted"));
    }
    let gcov = match args.gcov {
        true => Some(gcov::read(&runner.gcov_directories(), &Sources::new(&args.sources))?),
        false => None,
    };
    let results = Results { program: &path, tests: &done, gcov: gcov.as_ref(), coverage: args.coverage };
    if args.json {
        console::out(format!("{}\n", results.json()))?;
    } else {
        console::out(results.text(args.quiet))?;
    }
    for problem in results.problems() {
        console::err_line(&format!("forkwise: error: {problem}"));
    }
    Ok(results.exit_code())
}

fn klee_output(
    runner: &Runner,
    program: &Program,
    path: &Path,
    files: &[PathBuf],
    limits: &Limits,
) -> anyhow::Result<u8> {
    let mut code = crate::app::CLEAN;
    for file in files {
        let test = json::read(file)?;
        let name = path.display().to_string();
        let done = klee_replay::replay(runner, program, &name, &file.display().to_string(), &test, limits)?;
        console::err(&done.before);
        console::out(&done.report.stdout.bytes)?;
        console::err(&done.report.stderr.bytes);
        console::err(&done.after);
        if done.report.ending != forkwise_replay::Ending::Exited(0) {
            code = crate::app::BUGS;
        }
    }
    Ok(code)
}
