//! `forkwise run`: compile, load, explore, write the results, confirm them natively, tell the user.
//!
//! `options` declares the options, `session` leads through a run, `sink` receives ended paths, `output` owns the
//! result folder, `bugs` the bug folders, `confirm` the native runs, `json` and `summary` what is said at the end,
//! `screen` what is shown meanwhile. `borrowed` lends the options to other verbs.

pub mod arms;
pub mod borrowed;
mod bugs;
mod ci;
pub mod config;
pub mod confirm;
mod facts;
mod json;
mod now;
pub mod options;
pub mod output;
pub mod plan;
mod samples;
mod screen;
mod seeds;
pub mod session;
mod sink;
mod summary;
pub mod surroundings;
pub mod tunable;
pub mod weights;
pub mod writer;

pub use output::create_numbered;
pub use session::main;
pub use summary::shorten;

/// A text as a cell of a CSV file.
pub fn csv_cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}
