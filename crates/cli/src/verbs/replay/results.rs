//! What `forkwise replay` shows: each test in turn, then totals; the same for machines. A bug that shows on a path which
//! the engine did not finish is the program's, a run that is not as predicted is ours; both are told and counted.

use crate::app::{BUGS, CLEAN, ERROR};
use crate::verbs::show::outcome_text;
use forkwise_replay::batch::{ReplayError, Replayed};
use forkwise_replay::gcov::{Count, GcovReport};
use forkwise_replay::{Check, Coverage, Ending};
use forkwise_testcase::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// All that was replayed.
pub struct Results<'a> {
    /// The program.
    pub program: &'a Path,
    /// The tests in their order.
    pub tests: &'a [Replayed],
    /// What gcov says.
    pub gcov: Option<&'a GcovReport>,
    /// Show coverage by test.
    pub coverage: bool,
}

#[derive(Default)]
struct Totals {
    same: usize,
    diverged: usize,
    not_comparable: usize,
    timed_out: usize,
    failed: usize,
    coverage: Option<Coverage>,
    /// Distinct bugs, each with the first test that shows it and whether its path was unfinished.
    bugs: BTreeMap<String, (usize, bool)>,
}

impl Results<'_> {
    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (index, one) in self.tests.iter().enumerate() {
            match &one.result {
                Ok((report, check)) => {
                    match check {
                        Check::Same => totals.same += 1,
                        Check::Diverged(_) => totals.diverged += 1,
                        Check::NotComparable(_) => totals.not_comparable += 1,
                    }
                    totals.timed_out += usize::from(report.ending == Ending::TimedOut);
                    if let Some(coverage) = &report.coverage {
                        totals.coverage.get_or_insert_default().add(coverage);
                    }
                }
                Err(_) => totals.failed += 1,
            }
            if let Some(bug) = &one.bug {
                totals.bugs.entry(bug.to_string()).or_insert((index, one.is_new_bug()));
            }
        }
        totals
    }

    /// What kept tests from being run; a program that cannot be run is told once.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = Vec::new();
        for one in self.tests {
            match &one.result {
                Err(error @ ReplayError::Test(_)) => problems.push(error.to_string()),
                Err(ReplayError::Run(error)) => {
                    let text = error.to_string();
                    if !problems.contains(&text) {
                        problems.push(text);
                    }
                }
                Ok(_) => {}
            }
        }
        problems
    }

    /// Errors before bugs before nothing.
    pub fn exit_code(&self) -> u8 {
        let bad = |one: &Replayed| {
            one.bug.is_some()
                || matches!(one.predicted, Some(Outcome::Bug { .. }))
                || matches!(one.result, Ok((_, Check::Diverged(_))))
        };
        if self.tests.iter().any(|one| one.result.is_err()) {
            ERROR
        } else if self.tests.iter().any(bad) {
            BUGS
        } else {
            CLEAN
        }
    }

    /// For people. `quiet`: without what is in order.
    pub fn text(&self, quiet: bool) -> String {
        let mut out = String::new();
        let mut seen = Coverage::default();
        for one in self.tests {
            let Ok((report, check)) = &one.result else { continue };
            let fresh = report.coverage.as_ref().map(|coverage| seen.add(coverage));
            let bad = one.bug.is_some()
                || matches!(check, Check::Diverged(_))
                || matches!(one.predicted, Some(Outcome::Bug { .. }));
            if quiet && !bad {
                continue;
            }
            // Writing to a String cannot fail.
            let _ = write!(out, "{}: {}", one.path.display(), report.ending);
            if let (Some(coverage), Some(fresh), true) = (&report.coverage, fresh, self.coverage) {
                let _ = write!(out, ", {} branches ({fresh} new)", coverage.covered());
            }
            out.push('\n');
            match check {
                Check::Same => {
                    let predicted = one.predicted.as_ref().map(outcome_text).unwrap_or_default();
                    let _ = writeln!(out, "  as predicted: {predicted}");
                }
                Check::Diverged(differences) => {
                    for difference in differences {
                        let _ = writeln!(out, "  NOT as predicted: {difference}");
                    }
                }
                Check::NotComparable(_) => {}
            }
            if let Some(bug) = &one.bug {
                let how = if one.is_new_bug() && one.predicted.is_some() {
                    "bug found by replaying an unfinished path"
                } else {
                    "bug"
                };
                let _ = writeln!(out, "  {how}: {bug}");
            }
            if bad || self.tests.len() == 1 {
                indented(&mut out, "stdout", &report.stdout.text());
                indented(&mut out, "stderr", &report.stderr.text());
            }
        }
        self.totals_text(&mut out);
        out
    }

    fn totals_text(&self, out: &mut String) {
        let totals = self.totals();
        if self.tests.len() > 1 {
            let _ = write!(out, "{} tests: {} as predicted", self.tests.len(), totals.same);
            for (count, what) in [
                (totals.diverged, "NOT as predicted"),
                (totals.not_comparable, "not comparable"),
                (totals.timed_out, "ended at the time limit"),
                (totals.failed, "not run"),
            ] {
                if count > 0 {
                    let _ = write!(out, ", {count} {what}");
                }
            }
            out.push('\n');
            for (bug, (index, _)) in &totals.bugs {
                let _ = writeln!(out, "bug: {bug}: {}", self.tests[*index].path.display());
            }
        }
        if let Some(coverage) = &totals.coverage {
            let _ = writeln!(out, "coverage: {}/{} branches", coverage.covered(), coverage.total());
        }
        if let Some(gcov) = self.gcov {
            for (file, coverage) in &gcov.by_file {
                let (branches, lines) = (coverage.branches, coverage.lines);
                let _ = writeln!(
                    out,
                    "{}: {}/{} branches, {}/{} lines",
                    file.display(),
                    branches.covered,
                    branches.total,
                    lines.covered,
                    lines.total
                );
            }
            let (branches, lines) = (gcov.total().branches, gcov.total().lines);
            let _ = writeln!(
                out,
                "gcov: {}/{} branches, {}/{} lines",
                branches.covered, branches.total, lines.covered, lines.total
            );
        }
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let totals = self.totals();
        let mut seen = Coverage::default();
        let tests: Vec<Value> = self.tests.iter().map(|one| test_json(one, &mut seen)).collect();
        let bugs: Vec<Value> = totals
            .bugs
            .iter()
            .map(|(bug, (index, new))| {
                json!({"bug": bug, "test": self.tests[*index].path.display().to_string(), "unfinished_path": new})
            })
            .collect();
        let mut object = json!({
            "program": self.program.display().to_string(),
            "same": totals.same,
            "diverged": totals.diverged,
            "not_comparable": totals.not_comparable,
            "timed_out": totals.timed_out,
            "failed": totals.failed,
            "bugs": bugs,
            "coverage": totals.coverage.map(|c| json!({"covered": c.covered(), "total": c.total()})),
            "tests": tests,
        });
        if let Some(gcov) = self.gcov {
            let count = |c: Count| json!({"covered": c.covered, "total": c.total});
            let by_file: BTreeMap<String, Value> = gcov
                .by_file
                .iter()
                .map(|(file, coverage)| {
                    let entry = json!({"branches": count(coverage.branches), "lines": count(coverage.lines)});
                    (file.display().to_string(), entry)
                })
                .collect();
            let functions: Vec<Value> = gcov
                .by_function
                .iter()
                .map(|((file, function), branches)| {
                    json!({"file": file.display().to_string(), "function": function, "branches": count(*branches)})
                })
                .collect();
            object["functions"] = json!(functions);
            object["branches"] = count(gcov.total().branches);
            object["lines"] = count(gcov.total().lines);
            object["by_file"] = json!(by_file);
        }
        object
    }
}

fn test_json(one: &Replayed, seen: &mut Coverage) -> Value {
    let mut object = json!({"test": one.path.display().to_string()});
    match &one.result {
        Err(error) => object["error"] = error.to_string().into(),
        Ok((report, check)) => {
            object["ending"] = report.ending.to_string().into();
            let (word, differences) = match check {
                Check::Same => ("same", Vec::new()),
                Check::Diverged(all) => ("diverged", all.iter().map(ToString::to_string).collect()),
                Check::NotComparable(_) => ("not-comparable", Vec::new()),
            };
            object["check"] = word.into();
            if !differences.is_empty() {
                object["differences"] = differences.into();
            }
            if let Some(coverage) = &report.coverage {
                let fresh = seen.add(coverage);
                object["coverage"] = json!({"covered": coverage.covered(), "new": fresh});
            }
        }
    }
    if let Some(bug) = &one.bug {
        object["bug"] = bug.to_string().into();
    }
    object
}

fn indented(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("  {name}:\n"));
        text.lines().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
}
