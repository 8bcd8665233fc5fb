//! A comparison as people and programs read it: text, one JSON object, a CSV row for each trial.

use super::result::{Comparison, Line, Pair};
use super::trial::Trial;
use crate::run::{csv_cell, shorten};
use forkwise_testcase::atomic_write;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// The text; with `list` it has the place of every branch that only one heuristic reached.
pub fn text(c: &Comparison, list: bool) -> String {
    let mut out = String::new();
    let trials = match &c.seeds[..] {
        [seed] => format!("one trial each with seed {seed}"),
        [first, .., last] => format!("{} trials each with seeds {first} to {last}", c.seeds.len()),
        [] => "no trials".to_string(),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{}: {} branches; {trials}; a trial: {}", c.program, c.total, c.budget);
    if c.interrupted {
        let wanted = c.seeds.len() * c.lines.len();
        let _ = writeln!(out, "interrupted: only {} of {wanted} trials are counted", c.trials.len());
    }
    let width = c.lines.iter().map(|l| l.heuristic.name.chars().count()).max().unwrap_or(0).max(9);
    let _ = writeln!(
        out,
        "\n{:width$}  {:>9}  {:>5}  {:>7}  {:>5}  {:>9}  {:>9}  {:>10}",
        "heuristic", "mean", "max", "std dev", "union", "only here", "mean bugs", "union bugs"
    );
    for l in &c.lines {
        let _ = writeln!(
            out,
            "{:width$}  {:>9.1}  {:>5.0}  {:>7.1}  {:>5}  {:>9}  {:>9.1}  {:>10}",
            l.heuristic.name,
            l.branches.mean,
            l.branches.max,
            l.branches.deviation,
            l.union,
            l.only.len(),
            l.bugs.mean,
            l.bug_union.len()
        );
    }
    if !c.pairs.is_empty() {
        out.push_str("\nWilcoxon signed-rank test over equal seeds, two-sided:\n");
        for p in &c.pairs {
            let _ = writeln!(out, "  {}", pair_text(c, p));
        }
    }
    for l in c.lines.iter().filter(|l| list && !l.only.is_empty()) {
        let _ = writeln!(out, "\nreached by {} only:", l.heuristic.name);
        l.only.iter().for_each(|place| out.push_str(&format!("  {}\n", shorten(place))));
    }
    let crashed: Vec<&Trial> = c.trials.iter().filter(|t| t.trouble.is_some()).collect();
    if !crashed.is_empty() {
        out.push_str("\ntrials that did not end well, counted with what they had:\n");
        for t in crashed {
            let name = &c.lines[t.heuristic].heuristic.name;
            let _ = writeln!(out, "  {name}, seed {}: {}", t.seed, t.trouble.as_deref().unwrap_or("?"));
        }
    }
    out
}

fn pair_text(c: &Comparison, p: &Pair) -> String {
    let name = |i: usize| &c.lines[i].heuristic.name;
    let verdict = match p.test.pairs {
        0 => "no seed tells them apart".to_string(),
        n => format!("p = {:.4}, {n} of {} seeds differ", p.test.p, p.seeds),
    };
    format!("{} - {}: {:+.1} branches on average; {verdict}", name(p.a), name(p.b), p.difference)
}

/// The object that `--json` prints.
pub fn json(c: &Comparison) -> Value {
    json!({
        "program": c.program,
        "budget": c.budget,
        "seeds": c.seeds,
        "branches_total": c.total,
        "interrupted": c.interrupted,
        "heuristics": c.lines.iter().map(line_json).collect::<Vec<_>>(),
        "pairs": c.pairs.iter().map(|p| json!({
            "a": c.lines[p.a].heuristic.name,
            "b": c.lines[p.b].heuristic.name,
            "seeds": p.seeds,
            "mean_difference": p.difference,
            "differing": p.test.pairs,
            "rank_sum_plus": p.test.plus,
            "rank_sum_minus": p.test.minus,
            "p": p.test.p,
        })).collect::<Vec<_>>(),
        "trials": c.trials.iter().map(|t| json!({
            "heuristic": c.lines[t.heuristic].heuristic.name,
            "seed": t.seed,
            "branches": t.arms.len(),
            "bugs": t.bugs,
            "paths": t.paths,
            "instructions": t.instructions,
            "executions": t.executions,
            "seconds": t.seconds,
            "stop_reason": t.stop,
            "trouble": t.trouble,
        })).collect::<Vec<_>>(),
    })
}

fn line_json(l: &Line) -> Value {
    json!({
        "name": l.heuristic.name,
        "mode": l.heuristic.mode.name(),
        "search": l.heuristic.search,
        "trials": l.branches.count,
        "crashed": l.crashed,
        "branches": {
            "mean": l.branches.mean,
            "max": l.branches.max,
            "std_dev": l.branches.deviation,
            "union": l.union,
            "only_here": l.only,
        },
        "bugs": {"mean": l.bugs.mean, "max": l.bugs.max, "union": l.bug_union},
    })
}

/// Writes a row for each trial.
pub fn write_csv(c: &Comparison, file: &Path) -> anyhow::Result<()> {
    let mut out = String::from(
        "heuristic,mode,seed,branches,branches_total,bugs,paths,instructions,executions,seconds,stop_reason,trouble\n",
    );
    for t in &c.trials {
        let heuristic = &c.lines[t.heuristic].heuristic;
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{}",
            csv_cell(&heuristic.name),
            heuristic.mode.name(),
            t.seed,
            t.arms.len(),
            t.total,
            t.bugs.len(),
            t.paths,
            t.instructions,
            t.executions.map_or(String::new(), |n| n.to_string()),
            t.seconds,
            t.stop,
            csv_cell(t.trouble.as_deref().unwrap_or_default()),
        );
    }
    Ok(atomic_write(file, out.as_bytes())?)
}
