//! The `forkwise` command. Everything is in the modules: `app` chooses the verb, `run` explores, `compare` runs heuristics side by side, `klee` is KLEE's
//! command line, `verbs` holds the small ones, `engine` what `run` and `klee` share. No logic here.

mod app;
mod campaign;
mod compare;
mod console;
mod engine;
mod examples;
mod glibc;
mod heuristic;
mod hoist;
mod input;
mod kinds;
mod klee;
mod live;
mod memory_size;
mod outcome;
mod params;
mod run;
mod short_help;
mod signals;
mod symtuner;
mod train;
mod tune;
mod verbs;
mod worst;

fn main() -> std::process::ExitCode {
    app::main(std::env::args_os().collect())
}
