//! What `-h` leaves to `--help`: of the many options of `run`, in every verb that has them, it shows the usual ones. An option is usual
//! because it is in this list, wherever it is declared.

use crate::run::options::RunArgs;
use clap::{Args, Command};
use std::collections::BTreeSet;

const USUAL: [&str; 20] = [
    "concrete",
    "with",
    "entry",
    "define",
    "include",
    "seed-tests",
    "ubsan",
    "check-leaks",
    "mode",
    "search",
    "seed",
    "time",
    "max-memory",
    "first-bug",
    "output",
    "no-replay",
    "ci",
    "strict",
    "json",
    "quiet",
];

/// The command with the unusual options out of sight.
pub fn applied(command: Command) -> Command {
    let runs = RunArgs::augment_args(Command::new("run"));
    let unusual: BTreeSet<String> = runs
        .get_arguments()
        .filter_map(|a| a.get_long())
        .filter(|l| !USUAL.contains(l))
        .map(String::from)
        .collect();
    let verbs: Vec<String> = command.get_subcommands().map(|v| v.get_name().to_string()).collect();
    // Other verbs may have options of the same names that mean more to them.
    let borrows =
        |verb: &Command| unusual.iter().all(|l| verb.get_arguments().any(|a| a.get_long() == Some(l)));
    verbs.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |verb| match borrows(&verb) {
            true => verb.mut_args(|a| match a.get_long() {
                Some(long) if unusual.contains(long) => a.hide_short_help(true),
                _ => a,
            }),
            false => verb,
        })
    })
}
