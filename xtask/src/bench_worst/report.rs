//! The tables of `cargo xtask bench worst`: Markdown with one line per subject and size, one column per method, and a CSV
//! file that keeps the rows of other measurements. Rows are replaced by newer ones of the same subject, size, method and
//! time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::Found;
use super::subjects::{Optimum, Subject};
use crate::workspace::{create_dir, write_atomically};

const HEADER: &str = "subject,size,method,time,runs,manual_cost,manual_is_proved,mean_cost,ratio,lowest_ratio,highest_ratio,\
     mean_seconds,mean_paths,mean_solver_calls";

/// The mean over the runs of one method on one subject at one size.
pub struct Row {
    subject: &'static str,
    size: usize,
    method: String,
    ratio: f64,
    seconds: f64,
    is_proved: bool,
    /// Everything, as in the file.
    line: String,
}

impl Row {
    /// None without any run.
    pub fn new(
        subject: &Subject,
        size: usize,
        method: &str,
        time: &str,
        optimum: u64,
        found: &[&Found],
    ) -> Option<Self> {
        if found.is_empty() || optimum == 0 {
            return None;
        }
        let runs = found.len() as f64;
        let mean = |of: &dyn Fn(&Found) -> f64| found.iter().map(|run| of(run)).sum::<f64>() / runs;
        let cost = mean(&|run| run.cost as f64);
        let ratio = cost / optimum as f64;
        let lowest = found.iter().map(|run| run.cost).min()? as f64 / optimum as f64;
        let highest = found.iter().map(|run| run.cost).max()? as f64 / optimum as f64;
        let seconds = mean(&|run| run.seconds);
        let is_proved = subject.optimum == Optimum::Proved;
        let line = format!(
            "{},{size},{method},{time},{runs},{optimum},{is_proved},{cost:.1},{ratio:.5},{lowest:.5},{highest:.5},\
             {seconds:.2},{:.0},{:.0}",
            subject.name,
            mean(&|run| run.paths),
            mean(&|run| run.solver_calls),
        );
        Some(Self { subject: subject.name, size, method: method.to_owned(), ratio, seconds, is_proved, line })
    }
}

/// The table for the documentation.
pub fn markdown(rows: &[Row], methods: &[String]) -> String {
    let mut text = String::from("| subject | size |");
    for method in methods {
        let _ = write!(text, " {method} |");
    }
    text.push_str("\n|---|--:|");
    text.push_str(&"--:|".repeat(methods.len()));
    text.push('\n');
    let mut lines: Vec<(&str, usize, bool)> = Vec::new();
    for row in rows {
        let line = (row.subject, row.size, row.is_proved);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    for (subject, size, is_proved) in lines {
        let _ = write!(text, "| {subject}{} | {size} |", if is_proved { "" } else { " *" });
        for method in methods {
            match rows.iter().find(|row| row.subject == subject && row.size == size && row.method == *method)
            {
                Some(row) => {
                    let _ = write!(text, " {:.3} ({} s) |", row.ratio, short(row.seconds));
                }
                None => text.push_str(" – |"),
            }
        }
        text.push('\n');
    }
    text.push_str("\nCost found / cost of the hand-made worst input (seconds until found), means. ");
    text.push_str("*: the hand-made input is the best known, not proved to be the worst.\n");
    text
}

fn short(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.1}") } else { format!("{seconds:.0}") }
}

/// Adds the rows to the file.
pub fn save(path: &Path, rows: &[Row]) -> Result<()> {
    if let Some(folder) = path.parent() {
        create_dir(folder)?;
    }
    let old = fs::read_to_string(path).unwrap_or_default();
    write_atomically(path, merged(&old, rows).as_bytes())
}

/// Subject, size, method and time, in the order of the file: sizes as numbers.
fn key(line: &str) -> Option<(String, usize, String, String)> {
    let mut fields = line.split(',');
    let mut next = || fields.next().map(str::to_owned);
    Some((next()?, next()?.parse().ok()?, next()?, next()?))
}

fn merged(old: &str, rows: &[Row]) -> String {
    let lines = old.lines().chain(rows.iter().map(|row| row.line.as_str()));
    let by_key: BTreeMap<_, &str> = lines.filter_map(|line| Some((key(line)?, line))).collect();
    let mut text = format!("{HEADER}\n");
    for line in by_key.values() {
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::subjects::SUBJECTS;
    use super::*;

    fn row(size: usize, costs: &[u64]) -> Row {
        let found: Vec<Found> =
            costs.iter().map(|&cost| Found { cost, seconds: 2.0, paths: 10.0, solver_calls: 3.0 }).collect();
        Row::new(&SUBJECTS[0], size, "auto", "5m", 100, &found.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn rows_are_means_and_replace_older_ones() {
        let first = merged("", &[row(100, &[80, 100]), row(10, &[100])]);
        assert!(
            first.contains("alternate_0,100,auto,5m,2,100,true,90.0,0.90000,0.80000,1.00000,2.00,10,3"),
            "{first}"
        );
        let ten = first.find("alternate_0,10,").unwrap();
        assert!(ten < first.find("alternate_0,100,").unwrap(), "{first}");
        let second = merged(&first, &[row(100, &[100])]);
        assert_eq!(second.lines().count(), 3, "{second}");
        assert!(second.contains("1.00000,1.00000,1.00000"), "{second}");
    }

    #[test]
    fn the_table_has_a_column_per_method() {
        let table = markdown(&[row(10, &[97])], &["auto".into(), "ese".into()]);
        assert!(table.contains("| alternate_0 | 10 | 0.970 (2.0 s) | – |"), "{table}");
    }
}
