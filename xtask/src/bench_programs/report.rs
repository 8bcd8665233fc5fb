//! What a measurement of real programs looks like: one row a program on standard output, beside the study's figures, and
//! the CSV file with the newest row of every program and mode. Computes ratios and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::engine::{Run, human};
use crate::programs::recipe::{Program, Study};
use crate::workspace::{create_dir, write_atomically};

/// Times KLEE's branches that every program should reach.
const WANTED_TIMES_KLEE: f64 = 1.5;

/// The columns of the CSV file; a program and a mode have one row.
const COLUMNS: &str = "program,mode,seconds,instructions,paths_completed,paths_partial,tests,queries,solver_share,\
engine_branches,engine_branches_total,native_branches,native_branches_total,gcov_branches,gcov_branches_total,\
diverged,bugs,study_klee,study_afl,study_afl_seeded";

/// The measurement of one program.
#[derive(Debug)]
pub struct Row {
    program: String,
    mode: String,
    seconds: f64,
    instructions: f64,
    completed: u64,
    partial: u64,
    tests: u64,
    queries: u64,
    solver_share: f64,
    engine: (u64, u64),
    native: (u64, u64),
    gcov: (u64, u64),
    diverged: u64,
    bugs: u64,
    study: Option<Study>,
}

impl Row {
    /// Puts together what the engine printed, what the native runs did and what gcov counted (taken, all).
    pub fn new(program: &Program, mode: &str, run: &Run, native: &Value, gcov: (u64, u64)) -> Self {
        // Counts are far below 2^53, where a float is exact.
        let count = |pointer: &str| run.number(pointer) as u64;
        let replayed = |pointer: &str| native.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
        Self {
            program: program.name.to_owned(),
            mode: mode.to_owned(),
            seconds: run.seconds(),
            instructions: run.number("/instructions"),
            completed: count("/paths/completed"),
            partial: count("/paths/partial"),
            tests: count("/tests"),
            queries: count("/solver/queries"),
            solver_share: run.number("/solver/seconds") / run.seconds().max(0.001),
            engine: (count("/coverage/branches_covered"), count("/coverage/branches_total")),
            native: (replayed("/coverage/covered"), replayed("/coverage/total")),
            gcov,
            diverged: replayed("/diverged"),
            bugs: native["bugs"].as_array().map_or(0, |bugs| bugs.len() as u64),
            study: program.study,
        }
    }

    /// Prints the row.
    pub fn print(&self) {
        let of = |(covered, all): (u64, u64)| format!("{covered}/{all}");
        let study = self.study;
        let figure = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
        let ratio = |number: Option<u32>| {
            number.map_or("-".to_owned(), |number| format!("{:.2}x", self.gcov.0 as f64 / f64::from(number)))
        };
        let klee = study.map(|study| study.klee);
        let afl = study.and_then(|study| study.afl);
        println!(
            "{:10} {:>9} {:>13} {:>7} {:>9} {:>5.0}% {:>13} {:>13} {:>12} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6}",
            self.program,
            human(self.instructions),
            format!("{}+{}", self.completed, self.partial),
            self.tests,
            self.queries,
            self.solver_share * 100.0,
            of(self.engine),
            of(self.native),
            of(self.gcov),
            self.diverged,
            self.bugs,
            figure(klee),
            ratio(klee),
            figure(afl),
            ratio(afl),
            figure(study.and_then(|study| study.afl_seeded)),
        );
    }

    fn csv(&self) -> String {
        let figure = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
        [
            self.program.clone(),
            self.mode.replace(',', ";"),
            format!("{:.1}", self.seconds),
            format!("{:.0}", self.instructions),
            self.completed.to_string(),
            self.partial.to_string(),
            self.tests.to_string(),
            self.queries.to_string(),
            format!("{:.3}", self.solver_share),
            self.engine.0.to_string(),
            self.engine.1.to_string(),
            self.native.0.to_string(),
            self.native.1.to_string(),
            self.gcov.0.to_string(),
            self.gcov.1.to_string(),
            self.diverged.to_string(),
            self.bugs.to_string(),
            figure(self.study.map(|study| study.klee)),
            figure(self.study.and_then(|study| study.afl)),
            figure(self.study.and_then(|study| study.afl_seeded)),
        ]
        .join(",")
    }

    /// What falls short of the targets, if anything does.
    fn shortfall(&self, seeded: bool) -> Option<String> {
        let study = self.study?;
        let taken = self.gcov.0;
        let mut problems = Vec::new();
        let wanted = f64::from(study.klee) * WANTED_TIMES_KLEE;
        if (taken as f64) < wanted {
            problems.push(format!("{wanted:.0} branches wanted ({WANTED_TIMES_KLEE} times KLEE's)"));
        }
        let fuzzer = if seeded { study.afl_seeded.or(study.afl) } else { study.afl };
        if let Some(fuzzer) = fuzzer.filter(|&fuzzer| taken <= u64::from(fuzzer)) {
            problems.push(format!("more than AFL++'s {fuzzer} wanted"));
        }
        if self.diverged * 100 > self.tests {
            problems
                .push(format!("{} of {} tests diverged, less than 1 % wanted", self.diverged, self.tests));
        }
        (!problems.is_empty()).then(|| format!("{}: {taken} branches; {}", self.program, problems.join("; ")))
    }
}

/// Prints the names of the columns.
pub fn print_header() {
    println!(
        "{:10} {:>9} {:>13} {:>7} {:>9} {:>6} {:>13} {:>13} {:>12} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "program",
        "instr",
        "paths",
        "tests",
        "queries",
        "solver",
        "engine",
        "native",
        "gcov",
        "div",
        "bugs",
        "KLEE",
        "ratio",
        "AFL++",
        "ratio",
        "seeded"
    );
}

/// Prints what falls short, program by program.
pub fn print_targets(rows: &[Row], seeded: bool) {
    let mut lines: Vec<String> = rows.iter().filter_map(|row| row.shortfall(seeded)).collect();
    lines.sort();
    if lines.is_empty() && rows.iter().any(|row| row.study.is_some()) {
        println!("bench: every program with a study reaches its targets");
    }
    lines.iter().for_each(|line| println!("bench: short: {line}"));
}

/// Writes the rows into the CSV file, over older ones of the same program and mode.
pub fn save(path: &Path, rows: &[Row]) -> Result<()> {
    let old = fs::read_to_string(path).unwrap_or_default();
    // A file with other columns is of another version and begins anew.
    let lines = old.strip_prefix(COLUMNS).unwrap_or_default().lines().filter(|line| !line.is_empty());
    let text = merged(lines, &rows.iter().map(Row::csv).collect::<Vec<_>>());
    create_dir(path.parent().context("the results have a folder")?)?;
    write_atomically(path, text.as_bytes())?;
    println!("bench: {}", path.display());
    Ok(())
}

fn merged<'a>(old: impl Iterator<Item = &'a str>, new: &[String]) -> String {
    let key = |line: &str| line.splitn(3, ',').take(2).map(str::to_owned).collect::<Vec<_>>();
    let mut rows: BTreeMap<Vec<String>, String> = old.map(|line| (key(line), line.to_owned())).collect();
    rows.extend(new.iter().map(|line| (key(line), line.clone())));
    let lines: Vec<String> = rows.into_values().collect();
    format!("{COLUMNS}\n{}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_row_of_a_program_and_mode_stays() {
        let text = merged(
            ["b,plain 1s,1", "a,plain 1s,2"].into_iter(),
            &["b,plain 1s,3".to_owned(), "b,seeded 1s,4".to_owned()],
        );
        assert_eq!(text, format!("{COLUMNS}\na,plain 1s,2\nb,plain 1s,3\nb,seeded 1s,4\n"));
    }
}
