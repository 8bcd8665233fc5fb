//! Development tasks: `cargo xtask setup|test|demo|bench|programs|klee-tools`. Built before anything else exists on the machine,
//! so it may depend on neither LLVM nor the other crates of the workspace. Each task is one module.

mod apt;
mod bench;
mod bench_concolic;
mod bench_programs;
mod bench_worst;
mod compile;
mod demo;
mod dist;
mod engine;
mod examples;
mod klee_tools;
mod musl;
mod native_libc;
mod programs;
mod runtime;
mod setup;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Development tasks of Forkwise.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install missing Debian packages, build the C library as bitcode and the replay library.
    Setup {
        /// Only report what is missing; exit status 1 if anything is.
        #[arg(long)]
        check: bool,
    },
    /// Run all checks and tests.
    Test {
        /// Also the tests that take minutes (many more random programs).
        #[arg(long)]
        long: bool,
    },
    /// Set up, build, explore the bundled examples and show what was found.
    Demo,
    /// Make a tarball and a Debian package in target/dist.
    Dist,
    /// Fill target/klee-tools with klee, ktest-tool, klee-replay, klee-stats, libkleeRuntest and klee.h.
    KleeTools,
    /// Build real programs from Debian's sources, with `forkwise cc` and for gcov, into target/programs.
    Programs(programs::Options),
    /// Measure.
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Subcommand)]
enum Bench {
    /// Concrete speed, forking and solving of the engine, as ratios.
    Engine {
        /// Only these parts.
        #[arg(value_enum)]
        parts: Vec<bench::Part>,
        /// Measurements of which the median counts.
        #[arg(long, default_value_t = 3)]
        runs: usize,
    },
    /// What one choice costs at 1 000, 10 000 and 100 000 live states, for every search.
    Search,
    /// Executions a second in concolic testing, with snapshots and without.
    Concolic,
    /// Branches of real programs reached in a given time, beside the figures of a comparison study.
    Programs(bench_programs::Options),
    /// How near `forkwise worst` comes to hand-made worst inputs, by subject, size and method.
    Worst(bench_worst::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let workspace = Workspace::locate()?;
    match task {
        Task::Setup { check: true } => setup::check(&workspace),
        Task::Setup { check: false } => setup::run(&workspace),
        Task::Test { long } => test::run(&workspace, long),
        Task::Demo => demo::run(&workspace),
        Task::Dist => dist::make(&workspace),
        Task::KleeTools => klee_tools::run(&workspace),
        Task::Programs(options) => programs::run(&workspace, &options),
        Task::Bench(Bench::Programs(options)) => bench_programs::run(&workspace, &options),
        Task::Bench(Bench::Concolic) => bench_concolic::run(&workspace),
        Task::Bench(Bench::Worst(options)) => bench_worst::run(&workspace, &options),
        Task::Bench(Bench::Search) => bench::search(&workspace),
        Task::Bench(Bench::Engine { parts, runs }) => bench::engine(&workspace, &parts, runs),
    }
}
