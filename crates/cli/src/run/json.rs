//! The object that `--json` prints and `summary.json` keeps. Its fields are a contract: they may be added to, never
//! renamed. Everything but times and memory is the same for the same seed and instruction budget.

use super::bugs::Bug;
use super::confirm::Replays;
use super::options::Mode;
use forkwise_explore::Summary;
use forkwise_posix::call_name;
use forkwise_vm::Vm;
use serde_json::{Value, json};
use std::path::Path;

/// What the object is made of.
pub struct Parts<'a> {
    /// The program as the user named it.
    pub program: &'a str,
    /// The search.
    pub search: &'a str,
    /// The seed.
    pub seed: u64,
    /// How it was explored.
    pub mode: Mode,
    /// The machine after its run.
    pub vm: &'a Vm,
    /// Its result.
    pub summary: &'a Summary,
    /// Distinct bugs.
    pub bugs: &'a [Bug],
    /// Tests written.
    pub tests: u64,
    /// Native runs of the tests, if there were any.
    pub replays: Option<&'a Replays>,
    /// The result folder.
    pub output: &'a Path,
}

/// The object.
pub fn summary(p: &Parts<'_>) -> Value {
    let vm = p.vm;
    let (branches_covered, branches_total) = vm.coverage.branches(&vm.program);
    let (lines_covered, lines_total) = vm.coverage.lines(&vm.program);
    let solver = vm.solver.stats();
    let c = &p.summary.counters;
    json!({
        "program": p.program,
        "mode": p.mode.name(),
        "search": p.search,
        "seed": p.seed,
        "seconds": round(p.summary.elapsed.as_secs_f64()),
        "instructions": c.instructions,
        "executions": (p.mode == Mode::Concolic).then_some(c.executions),
        "paths": {"completed": c.completed(), "partial": c.partial()},
        "tests": p.tests,
        "bugs": p.bugs.iter().map(Bug::to_json).collect::<Vec<_>>(),
        "coverage": {
            "branches_covered": branches_covered,
            "branches_total": branches_total,
            "lines_covered": lines_covered,
            "lines_total": lines_total,
        },
        "solver": {
            "queries": solver.queries,
            "sat_calls": solver.sat_calls,
            "smt_calls": solver.smt_calls,
            "seconds": round(solver.nanos as f64 / 1e9),
            "timeouts": solver.timeouts,
            "disagreements": solver.disagreements,
        },
        "states": {"peak": c.states_peak, "dropped": c.dropped},
        "forks": vm.fork_count,
        "memory_peak_mb": (c.memory_peak as f64 / 1048576.0 * 10.0).round() / 10.0,
        "stop_reason": p.summary.stop.name(),
        "left_out": left_out(p.summary),
        "notes": vm.notes,
        "replay": p.replays.map(|r| json!({
            "same": r.same,
            "diverged": r.diverged.iter().map(|(t, how)| json!({"test": t, "how": how})).collect::<Vec<_>>(),
            "skipped": r.skipped,
            "crashes": r.crashes.iter().map(|(t, bug)| json!({"test": t, "bug": bug})).collect::<Vec<_>>(),
            "branches": r.coverage.as_ref().map(|c| json!({"covered": c.covered(), "total": c.total()})),
        })),
        "unmodelled_calls": vm.unmodelled.iter()
            .map(|(number, times)| json!({"number": number, "name": call_name(*number), "times": times}))
            .collect::<Vec<_>>(),
        "output": p.output.display().to_string(),
    })
}

/// What was not explored although no budget ended.
pub fn left_out(s: &Summary) -> Vec<String> {
    let mut out = Vec::new();
    if s.left_out.forks {
        out.push("branches beyond --max-forks".to_string());
    }
    if s.left_out.depth {
        out.push("branches beyond --max-depth".to_string());
    }
    if s.left_out.paths > 0 {
        out.push(format!("the rest of {} unfinished path(s)", s.left_out.paths));
    }
    out
}

fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
