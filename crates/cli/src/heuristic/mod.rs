//! `forkwise heuristic`: what is in a weight file, in words (`show`), and how two differ (`diff`).

pub mod words;

use crate::app::CLEAN;
use crate::console;
use crate::run::weights::{self, names};
use anyhow::bail;
use clap::{Args, Subcommand, ValueHint};
use forkwise_learn::weights::{Family, Mode, Problem, Weights};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Show or compare learned heuristics.
#[derive(Args, Clone, Debug)]
pub struct HeuristicArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Clone, Debug)]
enum Verb {
    /// Print what a weight file says, its features by their weights
    Show {
        /// A weight file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print how the weights of two files differ, what differs most first
    Diff {
        /// A weight file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        a: PathBuf,
        /// Another
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        b: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// The verb.
pub fn main(args: &HeuristicArgs) -> anyhow::Result<u8> {
    let text = match &args.verb {
        Verb::Show { file, json } => {
            let weights = read(file)?;
            match json {
                true => format!("{:#}\n", show_json(&weights)),
                false => show(file, &weights),
            }
        }
        Verb::Diff { a, b, json } => {
            let (first, second) = (read(a)?, read(b)?);
            if first.family != second.family {
                bail!(
                    "{} is for {}, {} for {}: they have no features in common",
                    a.display(),
                    subject(first.family),
                    b.display(),
                    subject(second.family)
                );
            }
            match json {
                true => format!("{:#}\n", diff_json(&first, &second)),
                false => diff((a, &first), (b, &second)),
            }
        }
    };
    console::out(text)?;
    Ok(CLEAN)
}

/// Reads a file of either mode. One that does not say its mode is of that whose features it has.
fn read(file: &Path) -> anyhow::Result<Weights> {
    match weights::read(file, Mode::Explore) {
        Ok(weights) => Ok(weights),
        Err(error) => match weights::read(file, Mode::Concolic) {
            Ok(weights) => Ok(weights),
            // It is for concolic testing, and something else is wrong.
            Err(theirs) if matches!(error.problem, Problem::WrongMode { .. }) => Err(theirs.into()),
            Err(_) => Err(error.into()),
        },
    }
}

/// What the weights are for, in words.
fn subject(family: Family) -> String {
    match family.is_usual() {
        true => family.mode().to_string(),
        false => format!("{} ({})", family.mode(), family.name()),
    }
}

/// Numbers of the features, the highest weight first.
fn order(by: impl Fn(usize) -> f64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| by(*b).total_cmp(&by(*a)));
    order
}

fn show(file: &Path, weights: &Weights) -> String {
    let (family, subject) = (weights.family, subject(weights.family));
    let mut out = String::new();
    let program = weights.program.as_deref().unwrap_or("no program in particular");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{}: weights of {subject} for {program}\n", file.display());
    let names = names(family);
    let width = names.iter().map(|n| n.len()).max().unwrap_or(0);
    for i in order(|i| weights.values[i], weights.values.len()) {
        let (name, meaning) = (names[i], words::meaning(family, i));
        let _ = writeln!(out, "  {:+.3}  {name:width$}  {meaning}", weights.values[i]);
    }
    if let Some(training) = &weights.training {
        out.push_str("\nhow it was learned:\n");
        lines(training, 1, &mut out);
    }
    out
}

/// The entries of a table, one a line. The file is somebody's: nothing in it may disturb a terminal.
fn lines(table: &toml::Table, depth: usize, out: &mut String) {
    for (key, value) in table {
        let (key, margin) = (key.escape_debug(), "  ".repeat(depth));
        match value {
            toml::Value::Table(inner) if depth < 5 => {
                let _ = writeln!(out, "{margin}{key}:");
                lines(inner, depth + 1, out);
            }
            toml::Value::String(text) => {
                let _ = writeln!(out, "{margin}{key}: {}", text.escape_debug());
            }
            toml::Value::Float(x) => {
                let _ = writeln!(out, "{margin}{key}: {}", (x * 10_000.0).round() / 10_000.0);
            }
            other => {
                let _ = writeln!(out, "{margin}{key}: {}", other.to_string().escape_debug());
            }
        }
    }
}

fn show_json(weights: &Weights) -> Value {
    let family = weights.family;
    let features: Vec<Value> = names(family)
        .iter()
        .zip(&weights.values)
        .enumerate()
        .map(
            |(i, (name, weight))| json!({"name": name, "weight": weight, "meaning": words::meaning(family, i)}),
        )
        .collect();
    json!({"program": weights.program, "mode": family.mode().to_string(), "family": family.name(), "features": features,
           "training": weights.training})
}

/// How alike two vectors are: 1 the same direction, -1 the opposite; 0 where one is nothing.
fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(p, q)| p * q).sum::<f64>();
    let length = dot(a, a).sqrt() * dot(b, b).sqrt();
    if length > 0.0 && length.is_finite() { dot(a, b) / length } else { 0.0 }
}

fn opposite(a: f64, b: f64) -> bool {
    a > 0.0 && b < 0.0 || a < 0.0 && b > 0.0
}

fn diff(a: (&Path, &Weights), b: (&Path, &Weights)) -> String {
    let (x, y) = (&a.1.values, &b.1.values);
    let (family, subject) = (a.1.family, subject(a.1.family));
    let mut out = String::new();
    let signs = x.iter().zip(y).filter(|(p, q)| opposite(**p, **q)).count();
    let _ = writeln!(
        out,
        "{} and {}: weights of {subject}; cosine {:.3}, {signs} of {} signs differ (!)\n",
        a.0.display(),
        b.0.display(),
        cosine(x, y),
        x.len()
    );
    let names = names(family);
    let width = names.iter().map(|n| n.len()).max().unwrap_or(0);
    for i in order(|i| (x[i] - y[i]).abs(), x.len()) {
        let sign = if opposite(x[i], y[i]) { "!" } else { " " };
        let (name, meaning) = (names[i], words::meaning(family, i));
        let _ =
            writeln!(out, "{sign} {:+.3}  {:+.3}  {:+.3}  {name:width$}  {meaning}", x[i], y[i], y[i] - x[i]);
    }
    out
}

fn diff_json(a: &Weights, b: &Weights) -> Value {
    let family = a.family;
    let features: Vec<Value> = names(family)
        .iter()
        .zip(a.values.iter().zip(&b.values))
        .map(|(name, (x, y))| json!({"name": name, "a": x, "b": y}))
        .collect();
    json!({"mode": family.mode().to_string(), "family": family.name(), "cosine": cosine(&a.values, &b.values), "features": features})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness() {
        assert!((cosine(&[1.0, 2.0], &[2.0, 4.0]) - 1.0).abs() < 1e-12);
        assert!((cosine(&[1.0, 0.0], &[-3.0, 0.0]) + 1.0).abs() < 1e-12);
        assert_eq!(cosine(&[0.0], &[1.0]), 0.0);
        assert_eq!(order(|i| [1.0, 3.0, 2.0][i], 3), [1, 2, 0]);
        assert!(opposite(0.1, -0.1) && !opposite(0.0, -0.1) && !opposite(0.2, 0.1));
    }
}
