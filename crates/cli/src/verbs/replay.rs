//! `forkwise replay`: a program, natively, on tests: what it does, and whether that is what the tests predict.
//! Sources and bitcode are built with sanitizers first; a program that is already native is taken as it is.

use super::show::outcome_text;
use crate::app::{BUGS, CLEAN};
use crate::console;
use crate::run::options::duration;
use crate::signals;
use anyhow::Context;
use clap::{Args, ValueHint};
use forkwise_replay::{Check, Ending, Limits, Program, Runner, RunnerOptions, check};
use forkwise_testcase::{Outcome, json};
use forkwise_toolchain::{NativeOptions, OptLevel, Sanitizers, Toolchain};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Run a program natively on tests and compare with what they predict
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The program: .c, .bc, .ll, or an executable linked with the replay library
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    program: PathBuf,
    /// Tests (.ktest, .test.json), folders with tests, or result folders
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,
    /// Build without sanitizers
    #[arg(long)]
    plain: bool,
    /// Also check for undefined behaviour with UBSan
    #[arg(long)]
    ubsan: bool,
    /// Optimisation level
    #[arg(long, value_name = "N", default_value = "0", value_parser = OptLevel::from_str)]
    opt_level: OptLevel,
    /// Define a macro
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    define: Vec<String>,
    /// Add a folder with headers
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Pass a flag to the compiler
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true)]
    cflag: Vec<std::ffi::OsString>,
    /// Longest time of a run
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    timeout: Duration,
}

fn is_native(path: &Path) -> bool {
    !matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "i" | "bc" | "ll"))
}

fn build(args: &ReplayArgs, folder: &Path) -> anyhow::Result<Program> {
    if is_native(&args.program) {
        return Ok(Program::new(&args.program)?);
    }
    let sanitizers = Sanitizers { address: !args.plain, undefined: args.ubsan };
    let options = NativeOptions {
        sanitizers,
        opt_level: args.opt_level,
        link_replay: true,
        defines: args.define.clone(),
        include_dirs: args.include.clone(),
        extra_flags: args.cflag.clone(),
        ..NativeOptions::default()
    };
    let inputs = [args.program.clone()];
    let built = Toolchain::find()?.build_native(&inputs, &folder.join("program"), &options)?;
    let program = Program::new(&built.path)?;
    Ok(if sanitizers == Sanitizers::NONE { program } else { program.sanitized() })
}

/// `forkwise replay`.
pub fn main(args: &ReplayArgs) -> anyhow::Result<u8> {
    let files = super::export::expand(&args.tests)?;
    let tests = files.iter().map(|p| json::read(p)).collect::<Result<Vec<_>, _>>()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let program = build(args, folder.path())?;
    let cancel = signals::interrupt_flag()?;
    let runner = Runner::new(&RunnerOptions { cancel, ..RunnerOptions::default() })?;
    if let Some(warning) = runner.warning() {
        console::err_line(&format!("forkwise: note: {warning}"));
    }
    let limits = Limits { wall: args.timeout, ..Limits::default() };
    let mut code = CLEAN;
    for (path, test) in files.iter().zip(&tests) {
        let report = runner.run_test(&program, test, &limits)?;
        let predicted = test.outcome.as_ref().map(outcome_text);
        let mut text = format!("{}: {}\n", path.display(), report.ending);
        match check(test, &report) {
            Check::Same => text.push_str(&format!("  as predicted: {}\n", predicted.unwrap_or_default())),
            Check::Diverged(differences) => {
                code = BUGS;
                differences.iter().for_each(|d| text.push_str(&format!("  NOT as predicted: {d}\n")));
            }
            Check::NotComparable(_) => {}
        }
        let bad =
            !matches!(report.ending, Ending::Exited(_)) || matches!(test.outcome, Some(Outcome::Bug { .. }));
        if bad {
            code = BUGS;
        }
        if bad || tests.len() == 1 {
            indented(&mut text, "stdout", &report.stdout.text());
            indented(&mut text, "stderr", &report.stderr.text());
        }
        console::out(text)?;
    }
    Ok(code)
}

fn indented(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("  {name}:\n"));
        text.lines().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
}
