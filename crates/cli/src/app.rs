//! Choosing the verb, by the first argument or by the name the program was called with, and turning errors into
//! messages and exit codes. Read the verbs' own modules for what they do.

use crate::run::options::RunArgs;
use crate::verbs::{
    cc, cmin, companions, doctor, export, extract, features, harness, import, manual, replay, report, show,
    solver_bench, tmin, venn,
};
use crate::{
    compare, console, examples, heuristic, hoist, klee, params, run, short_help, symtuner, train, tune, worst,
};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Nothing to complain about.
pub const CLEAN: u8 = 0;
/// Bugs were found.
pub const BUGS: u8 = 1;
/// A mistake of the user, or of ours.
pub const ERROR: u8 = 2;
/// The exploration was not complete, and that matters.
pub const INCOMPLETE: u8 = 3;

/// Symbolic execution for C programs: tests, bugs and worst cases, each replayed natively.
#[derive(Parser, Debug)]
#[command(name = "forkwise", version, max_term_width = 110)]
#[command(after_help = examples::FORKWISE)]
struct Forkwise {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Explore a program: one test per path, one folder per distinct bug
    #[command(after_help = examples::RUN)]
    Run(Box<RunArgs>),
    /// Run a program natively on tests and compare with what they predict
    #[command(after_help = examples::REPLAY)]
    Replay(replay::ReplayArgs),
    /// Show a test
    #[command(after_help = examples::SHOW)]
    Show(show::ShowArgs),
    /// Convert tests to other formats
    #[command(after_help = examples::EXPORT)]
    Export(export::ExportArgs),
    /// Compile and link C as clang does; programs carry their bitcode (CC="forkwise cc" ./configure && make)
    #[command(disable_help_flag = true)]
    Cc(PassedOn),
    /// The same for C++ that needs no standard library
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(PassedOn),
    /// llvm-ar, for archives of what `cc` compiled
    #[command(disable_help_flag = true)]
    Ar(PassedOn),
    /// llvm-ranlib, for the same
    #[command(disable_help_flag = true)]
    Ranlib(PassedOn),
    /// llvm-nm, for the same
    #[command(disable_help_flag = true)]
    Nm(PassedOn),
    /// Write the bitcode that a program built by `cc` carries
    #[command(after_help = examples::EXTRACT)]
    Extract(extract::ExtractArgs),
    /// Read tests of others: KLEE, AFL, libFuzzer, or a command line
    #[command(after_help = examples::IMPORT)]
    Import(import::ImportArgs),
    /// Write a harness that makes a function's parameters symbolic
    #[command(after_help = examples::HARNESS)]
    Harness(harness::HarnessArgs),
    /// Make a report of runs: HTML to look at, or a file for other tools
    #[command(after_help = examples::REPORT)]
    Report(report::ReportArgs),
    /// Keep the fewest tests that cover the same and show the same bugs
    #[command(after_help = examples::CMIN)]
    Cmin(cmin::CminArgs),
    /// Make the smallest test that shows the same bug
    #[command(after_help = examples::TMIN)]
    Tmin(tmin::TminArgs),
    /// Print the features that searches weigh; with a program, run it and write their values as CSV
    Features(Box<features::FeaturesArgs>),
    /// Run search heuristics side by side and compare what they cover
    Compare(Box<compare::CompareArgs>),
    /// Learn a search heuristic for a program
    Train(Box<train::TrainArgs>),
    /// Show or compare learned heuristics
    Heuristic(heuristic::HeuristicArgs),
    /// Find the input of a size that costs most
    Worst(Box<worst::WorstArgs>),
    /// Test a program without choosing a single option: parameters are tuned meanwhile
    Tune(Box<tune::TuneArgs>),
    /// The public tool's command line: tune KLEE, or this engine in its place
    Symtuner(Box<symtuner::SymtunerArgs>),
    /// Show how what campaigns or runs covered overlaps
    Venn(venn::VennArgs),
    /// Print the parameters of the engine that can be tuned
    Params(params::ParamsArgs),
    /// Check that everything needed is installed
    #[command(after_help = examples::DOCTOR)]
    Doctor(doctor::DoctorArgs),
    /// Write man pages, shell completions, or all options as Markdown
    #[command(after_help = examples::MANUAL)]
    Manual(manual::ManualArgs),
    /// KLEE's command line
    #[command(disable_help_flag = true)]
    Klee(PassedOn),
    /// KLEE's ktest-tool: show .ktest files
    #[command(disable_help_flag = true)]
    KtestTool(PassedOn),
    /// KLEE's klee-stats: show statistics of runs
    #[command(disable_help_flag = true)]
    KleeStats(PassedOn),
    /// KLEE's klee-replay: run a native program on .ktest files
    #[command(disable_help_flag = true)]
    KleeReplay(PassedOn),
    /// Run a recorded query log through the solver
    #[command(hide = true)]
    SolverBench(solver_bench::SolverBenchArgs),
}

/// Arguments that another parser reads.
#[derive(clap::Args, Debug)]
struct PassedOn {
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// The whole program.
pub fn main(argv: Vec<OsString>) -> ExitCode {
    let name = argv.first().and_then(|a| Path::new(a).file_name()).unwrap_or_default().to_string_lossy();
    let rest = || argv.iter().skip(1).cloned().collect::<Vec<_>>();
    let result = match &*name {
        "klee" => return klee::main(&rest()),
        "ktest-tool" => companions::ktest_tool(&rest()),
        "klee-stats" => companions::klee_stats(&rest()),
        "klee-replay" => companions::klee_replay(&rest()),
        // `forkwise-cc` is `forkwise cc`: some build systems want a compiler that is one word.
        name => match name.strip_prefix("forkwise-").and_then(|verb| cc::dispatch(verb, &rest())) {
            Some(result) => result,
            None => verb(&argv),
        },
    };
    finish(result)
}

fn verb(argv: &[OsString]) -> anyhow::Result<u8> {
    // A compiler's arguments mean nothing to clap, and builds start thousands of compilers.
    if let [_, verb, args @ ..] = argv
        && let Some(result) = verb.to_str().and_then(|verb| cc::dispatch(verb, args))
    {
        return result;
    }
    let argv = hoist::hoist(Forkwise::command(), argv.to_vec());
    let command = short_help::applied(Forkwise::command());
    let parsed = command.try_get_matches_from(&argv).and_then(|m| Forkwise::from_arg_matches(&m));
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are not errors, but come this way; clap knows which stream is right.
            let code = if error.use_stderr() { ERROR } else { CLEAN };
            let _ = error.print();
            return Ok(code);
        }
    };
    match parsed.verb {
        Verb::Run(args) => match &args.config {
            Some(file) => run::main(&run::config::merged(&argv[2..], file)?),
            None => run::main(&args),
        },
        Verb::Replay(args) => replay::main(&args),
        Verb::Show(args) => show::main(&args),
        Verb::Export(args) => export::main(&args),
        Verb::Import(args) => import::main(&args),
        Verb::Harness(args) => harness::main(&args),
        Verb::Manual(args) => manual::main(&args, Forkwise::command()),
        Verb::Report(args) => report::main(&args),
        Verb::Cmin(args) => cmin::main(&args),
        Verb::Tmin(args) => tmin::main(&args),
        Verb::Features(args) => features::main(&args),
        Verb::Compare(args) => compare::main(&args),
        Verb::Train(args) => train::main(&args),
        Verb::Heuristic(args) => heuristic::main(&args),
        Verb::Worst(args) => worst::main(&args),
        Verb::Tune(args) => tune::main(&args),
        Verb::Symtuner(args) => symtuner::main(&args),
        Verb::Venn(args) => venn::main(&args),
        Verb::Params(args) => params::main(&args),
        Verb::Doctor(args) => doctor::main(&args),
        Verb::Cc(args) => passed_on("cc", &args),
        Verb::Cxx(args) => passed_on("c++", &args),
        Verb::Ar(args) => passed_on("ar", &args),
        Verb::Ranlib(args) => passed_on("ranlib", &args),
        Verb::Nm(args) => passed_on("nm", &args),
        Verb::Extract(args) => extract::main(&args),
        Verb::Klee(args) => Ok(klee::status(&args.args)),
        Verb::KtestTool(args) => companions::ktest_tool(&args.args),
        Verb::KleeStats(args) => companions::klee_stats(&args.args),
        Verb::KleeReplay(args) => companions::klee_replay(&args.args),
        Verb::SolverBench(args) => solver_bench::main(&args),
    }
}

/// A verb that `cc` knows; clap gets here only if options of ours came before it.
fn passed_on(verb: &str, args: &PassedOn) -> anyhow::Result<u8> {
    cc::dispatch(verb, &args.args).unwrap_or_else(|| anyhow::bail!("there is no verb {verb}"))
}

fn finish(result: anyhow::Result<u8>) -> ExitCode {
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            console::err_line(&format!("forkwise: error: {}", chain(&error)));
            ExitCode::from(ERROR)
        }
    }
}

/// Is this command line one that we understand? The error says what is wrong with it.
#[cfg(test)]
pub fn understand(line: &str) -> Result<(), String> {
    let words = forkwise_testcase::shell::split(line).map_err(|e| e.to_string())?;
    let words = words.into_iter().map(|w| String::from_utf8_lossy(&w).into_owned());
    let command = Forkwise::command();
    match command.try_get_matches_from(std::iter::once("forkwise".to_string()).chain(words)) {
        Ok(_) => Ok(()),
        Err(e) if !e.use_stderr() => Ok(()),
        Err(e) => Err(e.to_string()),
    }
}

/// An error with its causes on one line each; a cause that the line above already holds is left out.
pub fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str("\n  because: ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_consistent() {
        Forkwise::command().debug_assert();
    }

    #[test]
    fn causes_are_told_once() {
        use anyhow::Context;
        let inner: anyhow::Result<()> = Err(anyhow::anyhow!("the disk is full"));
        let error = inner.context("cannot write a.json: the disk is full").context("no results").unwrap_err();
        assert_eq!(chain(&error), "no results\n  because: cannot write a.json: the disk is full");
    }
}
