//! `forkwise show`: a test in words: the commands that repeat it by hand, inputs as numbers, text and bytes, and what it predicts.

use crate::app::CLEAN;
use crate::console;
use clap::Args;
use forkwise_testcase::{Outcome, TestCase, json, model, shell};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Show a test
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Tests (.ktest or .test.json)
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// `forkwise show`.
pub fn main(args: &ShowArgs) -> anyhow::Result<u8> {
    // All are read before anything is shown, so that a bad file is the only thing said.
    let tests = args.tests.iter().map(|p| json::read(p)).collect::<Result<Vec<_>, _>>()?;
    for (path, test) in args.tests.iter().zip(&tests) {
        if args.json {
            console::out(format!("{}\n", json::to_text(test).trim_end()))?;
        } else {
            console::out(text(&path.display().to_string(), test))?;
        }
    }
    Ok(CLEAN)
}

/// What is predicted, in words.
pub fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(code) => format!("exits with {code}"),
        Outcome::Signal(signal) => format!("is ended by signal {signal}"),
        Outcome::Bug { kind, place } => format!("{} at {place}", kind.title()),
        Outcome::Unfinished(why) => format!("not followed to its end: {why}"),
    }
}

fn text(name: &str, test: &TestCase) -> String {
    let mut out = format!("{name}\n");
    // Writing to a String cannot fail.
    for line in shell::commands(test) {
        let _ = writeln!(out, "  $ {line}");
    }
    // Objects of the model are what the commands above show.
    let of_model = model::is_of_model(test);
    for object in test.objects.iter().filter(|o| !of_model || !model::is_model_object(&o.name)) {
        let _ = write!(out, "  {} ({} bytes):", object.name, object.bytes.len());
        if let (Some(signed), Some(unsigned)) = (object.as_signed(), object.as_unsigned()) {
            let _ = write!(out, " {signed}");
            if signed < 0 {
                let _ = write!(out, " (unsigned {unsigned})");
            }
        }
        let _ = writeln!(out, " \"{}\"", object.bytes.escape_ascii());
        for row in object.bytes.chunks(16).filter(|_| object.bytes.len() > 8) {
            let hex: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
            let _ = writeln!(out, "    {}", hex.join(" "));
        }
    }
    if let Some(outcome) = &test.outcome {
        let _ = writeln!(out, "  predicted: {}", outcome_text(outcome));
    }
    if let Some(stdout) = test.stdout.as_ref().filter(|s| !s.is_empty()) {
        let _ = writeln!(out, "  output: \"{}\"", stdout.escape_ascii());
    }
    if let Some(n) = test.instructions {
        let _ = writeln!(out, "  instructions: {n}");
    }
    out
}
