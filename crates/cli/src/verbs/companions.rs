//! KLEE's companion programs under their own names: `ktest-tool`, `klee-stats`, `klee-replay`. Options and output are
//! KLEE's; the work is done in `testcase` and `replay`.

use crate::app::{CLEAN, ERROR};
use crate::console;
use crate::run::options::duration;
use crate::signals;
use anyhow::Context;
use clap::Parser;
use forkwise_replay::klee_replay as replay;
use forkwise_replay::{Ending, Limits, Program, Runner, RunnerOptions};
use forkwise_testcase::klee_stats::{self, Selection, TableFormat};
use forkwise_testcase::{KTest, ktest_tool as tool};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Reads options in clap's way under another program's name; `Err` is the exit code, everything having been said.
fn parse<P: Parser>(name: &str, args: &[OsString]) -> Result<P, u8> {
    P::try_parse_from(std::iter::once(OsString::from(name)).chain(args.iter().cloned())).map_err(|error| {
        let _ = error.print();
        if error.use_stderr() { ERROR } else { CLEAN }
    })
}

macro_rules! options {
    ($name:literal, $args:expr) => {
        match parse($name, $args) {
            Ok(parsed) => parsed,
            Err(code) => return Ok(code),
        }
    };
}

/// Show .ktest files
#[derive(Parser)]
#[command(name = "ktest-tool")]
struct KtestToolArgs {
    /// Files to show
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Leave zero bytes at the end of values away
    #[arg(long)]
    trim_zeros: bool,
    /// Write the value of an object to FILE.NAME
    #[arg(long, value_name = "NAME")]
    extract: Vec<String>,
}

/// `ktest-tool`.
pub fn ktest_tool(args: &[OsString]) -> anyhow::Result<u8> {
    let parsed: KtestToolArgs = options!("ktest-tool", args);
    let options = tool::Options { trim_zeros: parsed.trim_zeros };
    for path in &parsed.files {
        let ktest = KTest::read(path)?;
        if parsed.extract.is_empty() {
            console::out(tool::format(&path.display().to_string(), &ktest, options))?;
        } else {
            tool::extract(path, &ktest, &parsed.extract, options)
                .with_context(|| format!("cannot extract from {}", path.display()))?;
        }
    }
    Ok(CLEAN)
}

/// Show statistics of KLEE runs
#[derive(Parser)]
#[command(name = "klee-stats")]
struct KleeStatsArgs {
    /// Output folders, or folders with such folders in them
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Form of the table
    #[arg(long, value_name = "FORMAT", value_parser = table_format, default_value = "klee")]
    table_format: TableFormat,
    /// All columns
    #[arg(long, group = "columns")]
    print_all: bool,
    /// More columns
    #[arg(long, group = "columns")]
    print_more: bool,
    /// Times relative to the whole
    #[arg(long, group = "columns")]
    print_rel_times: bool,
    /// Times in seconds
    #[arg(long, group = "columns")]
    print_abs_times: bool,
    /// These columns, separated by commas
    #[arg(long, group = "columns", value_name = "NAMES", value_delimiter = ',')]
    print_columns: Vec<String>,
    /// Sort by a column, largest first
    #[arg(long, value_name = "COLUMN")]
    sort_by: Option<String>,
    /// Sort smallest first
    #[arg(long)]
    ascending: bool,
    /// Digits after the point
    #[arg(long, value_name = "N", default_value_t = 2)]
    precision: usize,
    /// All counters of all moments of the first run, as CSV
    #[arg(long)]
    to_csv: bool,
}

fn table_format(text: &str) -> Result<TableFormat, String> {
    TableFormat::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = TableFormat::NAMES.iter().map(|(n, _)| *n).collect();
        format!("there are {}", names.join(", "))
    })
}

/// `klee-stats`.
pub fn klee_stats(args: &[OsString]) -> anyhow::Result<u8> {
    let parsed: KleeStatsArgs = options!("klee-stats", args);
    let selection = if parsed.print_all {
        Selection::All
    } else if parsed.print_more {
        Selection::More
    } else if parsed.print_rel_times {
        Selection::RelativeTimes
    } else if parsed.print_abs_times {
        Selection::AbsoluteTimes
    } else if parsed.print_columns.is_empty() {
        Selection::Usual
    } else {
        Selection::Named(parsed.print_columns)
    };
    let options = klee_stats::Options {
        selection,
        format: parsed.table_format,
        precision: parsed.precision,
        sort_by: parsed.sort_by,
        ascending: parsed.ascending,
        to_csv: parsed.to_csv,
    };
    let text = klee_stats::klee_stats(&parsed.dirs, &options)?;
    console::out(format!("{}\n", text.trim_end_matches('\n')))?;
    Ok(CLEAN)
}

/// Run a native program in the environment of .ktest files
#[derive(Parser)]
#[command(name = "klee-replay")]
struct KleeReplayArgs {
    /// The program, compiled natively
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The tests
    #[arg(value_name = "FILE", required = true)]
    tests: Vec<PathBuf>,
    /// Longest time of a run
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    timeout: Duration,
}

/// `klee-replay`.
pub fn klee_replay(args: &[OsString]) -> anyhow::Result<u8> {
    let parsed: KleeReplayArgs = options!("klee-replay", args);
    let cancel = signals::interrupt_flag()?;
    let runner = Runner::new(&RunnerOptions { cancel, ..RunnerOptions::default() })?;
    let program = Program::new(&parsed.program)?;
    let limits = Limits { wall: parsed.timeout, ..Limits::default() };
    let name = parsed.program.display().to_string();
    let mut code = CLEAN;
    for path in &parsed.tests {
        let test = forkwise_testcase::json::read(path).map_err(replay::ReplayProblem::Test)?;
        let done = replay::replay(&runner, &program, &name, &path.display().to_string(), &test, &limits)?;
        console::err(&done.before);
        console::out(&done.report.stdout.bytes)?;
        console::err(&done.report.stderr.bytes);
        console::err(&done.after);
        if done.report.ending != Ending::Exited(0) {
            code = 1;
        }
    }
    Ok(code)
}
