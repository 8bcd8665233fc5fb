//! The figures of a run at a moment: what the screen shows, `status.json` holds and a `progress` event tells. They are taken once
//! and cost next to nothing; nothing here is decided or written.

use super::arms::Covered;
use forkwise_explore::{Progress, resident_bytes};
use serde_json::{Value, json};
use std::time::Duration;

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// Time since the exploration began.
    pub elapsed: Duration,
    /// The time it may take.
    pub time_limit: Option<Duration>,
    /// Instructions executed.
    pub instructions: u64,
    /// States alive.
    pub states: usize,
    /// Paths that the program ended.
    pub completed: u64,
    /// Paths that it did not.
    pub partial: u64,
    /// Tests written.
    pub tests: u64,
    /// Distinct bugs of the program.
    pub bugs: usize,
    /// (covered, total) arms of branches.
    pub branches: (usize, usize),
    /// (covered, total) lines.
    pub lines: (usize, usize),
    /// Edges that were taken, the C library's included.
    pub edges: usize,
    /// Questions to the solver chain.
    pub queries: u64,
    /// Those that reached the SAT solver.
    pub sat_calls: u64,
    /// Time it took.
    pub solver: Duration,
    /// States forked.
    pub forks: u64,
    /// Expressions alive.
    pub expressions: usize,
    /// Memory in use.
    pub memory: u64,
    /// Memory that may be used.
    pub memory_limit: Option<u64>,
    /// States dropped because of it.
    pub dropped: u64,
    /// When the last branch was covered for the first time.
    pub last_branch: Option<Duration>,
    /// When the last bug was found.
    pub last_bug: Option<Duration>,
}

impl Now {
    /// What the engine and the coverage so far tell.
    pub fn of(p: &Progress<'_>, covered: &Covered) -> Now {
        let solver = p.vm.solver.stats();
        Now {
            elapsed: p.elapsed,
            instructions: p.counters.instructions,
            states: p.states,
            completed: p.counters.completed(),
            partial: p.counters.partial(),
            tests: p.counters.tests,
            bugs: p.bugs,
            branches: covered.branches(),
            lines: covered.lines(),
            edges: p.vm.coverage.log.len(),
            queries: solver.queries,
            sat_calls: solver.sat_calls,
            solver: Duration::from_nanos(solver.nanos),
            forks: p.vm.fork_count,
            expressions: p.vm.exprs.live(),
            memory: resident_bytes(),
            dropped: p.counters.dropped,
            ..Now::default()
        }
    }

    /// What the user should do about how it goes, if anything.
    pub fn advice(&self) -> Option<String> {
        const PATIENCE: Duration = Duration::from_secs(120);
        let idle = self.elapsed.saturating_sub(self.last_branch.unwrap_or_default());
        if self.dropped > 0 {
            return Some(format!(
                "{} states were dropped for memory: raise --max-memory, or try --mode concolic",
                self.dropped
            ));
        }
        if self.memory_limit.is_some_and(|limit| self.memory > limit / 10 * 9) {
            return Some("memory is nearly used up and states will be dropped: raise --max-memory".into());
        }
        let solving = self.solver.as_secs_f64() / self.elapsed.as_secs_f64().max(1.0);
        if self.elapsed > PATIENCE && solving > 0.8 {
            return Some(format!(
                "the solver takes {:.0} % of the time: smaller inputs or --solver-timeout 1s may help",
                solving * 100.0
            ));
        }
        if idle > PATIENCE.max(self.elapsed / 2) && self.branches.0 < self.branches.1 {
            return Some(format!(
                "no new branch for {}: another --search, larger inputs, or seeds (--seed-tests) may help",
                crate::live::panel::time(idle)
            ));
        }
        None
    }

    /// For machines. Fields may be added, never renamed.
    pub fn to_json(&self) -> Value {
        let seconds = |d: Duration| (d.as_secs_f64() * 1000.0).round() / 1000.0;
        json!({
            "seconds": seconds(self.elapsed),
            "time_limit_seconds": self.time_limit.map(seconds),
            "instructions": self.instructions,
            "states": self.states,
            "paths": {"completed": self.completed, "partial": self.partial},
            "tests": self.tests,
            "bugs": self.bugs,
            "branches_covered": self.branches.0,
            "branches_total": self.branches.1,
            "lines_covered": self.lines.0,
            "lines_total": self.lines.1,
            "queries": self.queries,
            "sat_calls": self.sat_calls,
            "solver_seconds": seconds(self.solver),
            "forks": self.forks,
            "memory_bytes": self.memory,
            "memory_limit_bytes": self.memory_limit,
            "states_dropped": self.dropped,
            "last_new_branch_seconds": self.last_branch.map(seconds),
            "last_bug_seconds": self.last_bug.map(seconds),
        })
    }
}
