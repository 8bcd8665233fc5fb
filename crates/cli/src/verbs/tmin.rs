//! `forkwise tmin`: the smallest test that shows natively the bug that a test shows: the same signal, or the same
//! sanitizer's report at the same place. When nothing smaller shows it, the test is written as it was.

use super::replay::build::{self, BuildArgs};
use super::replay::{LimitArgs, runner};
use super::tests::program_of;
use crate::app::CLEAN;
use crate::console;
use crate::run::options::duration;
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use forkwise_replay::{Ending, NativeBug, Report, native_bug, tmin};
use forkwise_testcase::{KTest, Outcome, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Make the smallest test that shows the same bug
#[derive(Args, Debug)]
pub struct TminArgs {
    /// The test
    #[arg(value_name = "TEST", value_hint = ValueHint::FilePath)]
    test: PathBuf,
    /// File to write to: .test.json or .ktest
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// The program [default: what the result folder names]
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    prog: Option<PathBuf>,
    /// How long to search
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1m", help_heading = "Limits")]
    time: Duration,
    #[command(flatten)]
    build: BuildArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What has to stay: a bug, or that the program does not end in time.
fn sign(report: &Report) -> Option<NativeBug> {
    let hang = || NativeBug { kind: "hang".into(), place: String::new() };
    native_bug(report).or_else(|| (report.ending == Ending::TimedOut).then(hang))
}

/// `forkwise tmin`.
pub fn main(args: &TminArgs) -> anyhow::Result<u8> {
    let test = json::read(&args.test)?;
    let path = match &args.prog {
        Some(path) => path.clone(),
        None => program_of(&args.test)?,
    };
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let program = build::program(&args.build, &path, folder.path())?;
    let runner = runner(false)?;
    let limits = args.limits.batch().limits;
    let report = runner.run_test(&program, &test, &limits)?;
    let Some(bug) = sign(&report) else {
        bail!(
            "{} shows no bug natively ({}): there is nothing that a smaller test should show",
            args.test.display(),
            report.ending
        );
    };
    let mut runs = 1u64;
    let deadline = Instant::now() + args.time;
    let mut small = tmin::minimize(&test, deadline, &mut |candidate| {
        runs += 1;
        let report = runner.run_test(&program, candidate, &limits)?;
        Ok::<bool, forkwise_replay::RunError>(sign(&report).as_ref() == Some(&bug))
    })?;
    if !matches!(small.outcome, Some(Outcome::Bug { .. })) {
        // What was predicted of the original need not hold for this one.
        small.outcome = None;
    }
    match args.output.extension().is_some_and(|ending| ending == "ktest") {
        true => KTest::from(&small).write(&args.output)?,
        false => json::write(&args.output, &small)?,
    }
    let (before, after) = (tmin::size(&test), tmin::size(&small));
    console::out(format!(
        "{}: {bug}, {before} bytes of input became {after} ({runs} runs)\n",
        args.output.display()
    ))?;
    Ok(CLEAN)
}
