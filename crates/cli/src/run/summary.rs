//! What people read at the end of a run: paths, tests, bugs with how to reproduce them, coverage, speed.

use super::bugs::Bug;
use super::confirm::Replays;
use super::json::left_out;
use crate::live::panel::short;
use forkwise_explore::{StopReason, Summary};
use forkwise_posix::call_name;
use forkwise_testcase::Blame;
use forkwise_vm::Vm;
use std::fmt::Write as _;
use std::path::Path;

/// A path relative to the current folder, where it is below it.
pub fn shorten(file: &str) -> String {
    let here = std::env::current_dir().ok();
    match here.as_ref().and_then(|h| Path::new(file).strip_prefix(h).ok()) {
        Some(below) => below.display().to_string(),
        None => file.to_string(),
    }
}

fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn stop_text(stop: StopReason, unfinished: u64) -> &'static str {
    match stop {
        StopReason::Complete if unfinished > 0 => "all other paths were followed to their ends",
        StopReason::Complete => "every path was followed to its end",
        StopReason::Time => "the time was up",
        StopReason::Instructions => "the instruction budget was used up",
        StopReason::Memory => "states were dropped at the memory limit",
        StopReason::Tests => "there were enough tests",
        StopReason::Executions => "there were enough executions",
        StopReason::Interrupt => "interrupted",
        StopReason::Satisfied => "stopped at the first bug",
    }
}

/// The text.
pub fn text(
    program: &str,
    vm: &Vm,
    summary: &Summary,
    bugs: &[Bug],
    tests: u64,
    replays: Option<&Replays>,
    output: &Path,
) -> String {
    let c = &summary.counters;
    let seconds = summary.elapsed.as_secs_f64();
    let mut out = String::new();
    // Writing to a String cannot fail.
    let paths = plural(c.completed() + c.partial(), "path", "paths");
    let _ = write!(out, "{program}: {paths}");
    if c.partial() > 0 {
        let _ = write!(out, " ({} unfinished)", c.partial());
    }
    let _ = writeln!(out, ", {}, {}", plural(tests, "test", "tests"), stop_text(summary.stop, c.partial()));
    for line in left_out(summary) {
        let _ = writeln!(out, "  not explored: {line}");
    }
    let theirs: Vec<&Bug> = bugs.iter().filter(|b| b.is_programs()).collect();
    if theirs.is_empty() {
        out.push_str("no bugs found\n");
    } else {
        let _ = writeln!(out, "{} found:", plural(theirs.len() as u64, "bug", "bugs"));
    }
    for bug in &theirs {
        describe(&mut out, bug, output);
    }
    let ours: Vec<&Bug> = bugs.iter().filter(|b| !b.is_programs()).collect();
    if !ours.is_empty() {
        out.push_str("paths that could not be followed:\n");
        for bug in ours {
            let what = if bug.kind.blame() == Blame::Engine { " (an error of forkwise)" } else { "" };
            let _ = writeln!(out, "  {}: {}{what}", bug.headline(shorten), bug.message);
        }
    }
    let (branches, branches_total) = vm.coverage.branches(&vm.program);
    let (lines, lines_total) = vm.coverage.lines(&vm.program);
    let _ = writeln!(out, "coverage: {branches}/{branches_total} branches, {lines}/{lines_total} lines");
    if let Some(r) = replays {
        let _ = write!(out, "native runs: {} as predicted", r.same);
        if !r.diverged.is_empty() {
            let _ = write!(out, ", {} NOT as predicted", r.diverged.len());
        }
        if let Some(c) = &r.coverage {
            let _ = write!(out, "; {}/{} branches covered natively", c.covered(), c.total());
        }
        out.push('\n');
        for (test, how) in r.diverged.iter().take(10) {
            let _ = writeln!(out, "  {test}: {how}");
        }
        for (test, bug) in &r.crashes {
            let _ = writeln!(out, "  bug found by running an unfinished path to its end: {bug}");
            let _ = writeln!(
                out,
                "      reproduce: forkwise replay {program} {}",
                output.join("tests").join(test).display()
            );
        }
    }
    if !vm.unmodelled.is_empty() {
        let list: Vec<String> =
            vm.unmodelled.iter().map(|(n, times)| format!("{} ({times})", call_name(*n))).collect();
        let _ = writeln!(out, "system calls that failed because they are not modelled: {}", list.join(", "));
    }
    let solver = vm.solver.stats();
    let _ = writeln!(
        out,
        "speed: {seconds:.2} s, {} instructions ({}/s), {} queries ({:.2} s), at most {} states, {} MB",
        short(c.instructions as f64),
        short(c.instructions as f64 / seconds.max(1e-6)),
        solver.queries,
        solver.nanos as f64 / 1e9,
        c.states_peak,
        c.memory_peak >> 20,
    );
    let _ = writeln!(out, "results: {}", output.display());
    out
}

fn describe(out: &mut String, bug: &Bug, output: &Path) {
    let _ = writeln!(out, "  {}: {}", bug.headline(shorten), bug.message);
    let native = match &bug.confirmation {
        None => "not run natively".to_string(),
        Some(c) => match std::env::current_dir() {
            Ok(here) => c.text.replace(&format!(" {}/", here.display()), " "),
            Err(_) => c.text.clone(),
        },
    };
    let _ = writeln!(out, "      {native}");
    let _ = writeln!(out, "      reproduce: {}", bug.reproduce(output));
}
