//! `forkwise klee`: KLEE's command line, messages and output folder, over the same engine as `run`.
//!
//! `table` and `options` read the command line, `start` says how the program begins, `follow` which tests it is given,
//! `session` leads through a run, `sink` receives ended paths, `log` holds
//! the messages, `errors` the `.err` files, `assembly` finds lines in `assembly.ll`, `paths` reads and writes
//! `.path` files, `coverage` writes `.cov` files, `trace` prints instructions, `stats` writes `run.stats` and
//! `run.istats`. Exit status 0 also when errors were found, as scripts written for KLEE expect.

mod assembly;
mod coverage;
mod errors;
mod follow;
mod log;
mod options;
mod paths;
mod session;
mod sink;
mod start;
mod stats;
mod table;
mod trace;

use crate::console;
use std::ffi::OsString;
use std::process::ExitCode;

/// The whole program under the name `klee`.
pub fn main(args: &[OsString]) -> ExitCode {
    ExitCode::from(status(args))
}

/// The names of all options that are accepted.
pub fn option_names() -> impl Iterator<Item = &'static str> {
    table::OPTIONS.iter().map(|o| o.name)
}

/// Runs, and returns the exit status.
pub fn status(args: &[OsString]) -> u8 {
    let options = match options::Options::parse(args) {
        Ok(options) => options,
        Err(error) => {
            console::err_line(&format!("klee: {error:#}"));
            return 1;
        }
    };
    match session::run(&options, args) {
        Ok(status) => status,
        Err(error) => {
            console::err_line(&format!("KLEE: ERROR: {}", crate::app::chain(&error)));
            1
        }
    }
}
