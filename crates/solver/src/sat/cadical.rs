//! CaDiCaL, for queries that prove hard: a fresh instance each, where its inprocessing pays.
//!
//! The crate's wrapper is safe; this file only maps literals and limits. It knows no scope: the caller gives it the
//! cone of one query and nothing else.

use super::{Guide, Limits, Sat, SatLit, Verdict};
use crate::deadline::Deadline;

/// Stops CaDiCaL at the deadline.
struct Clock(Deadline);

impl cadical::Callbacks for Clock {
    fn terminate(&mut self) -> bool {
        self.0.passed()
    }
}

/// CaDiCaL behind [`Sat`].
pub(crate) struct Cadical {
    solver: cadical::Solver<Clock>,
    vars: u32,
}

impl Default for Cadical {
    fn default() -> Cadical {
        Cadical { solver: cadical::Solver::new(), vars: 0 }
    }
}

fn number(lit: SatLit) -> i32 {
    let n = lit.var() as i32 + 1;
    if lit.negated() { -n } else { n }
}

impl Sat for Cadical {
    fn new_var(&mut self) -> u32 {
        self.vars += 1;
        self.vars - 1
    }

    fn add_clause(&mut self, clause: &[SatLit]) {
        self.solver.add_clause(clause.iter().map(|&l| number(l)));
    }

    fn solve(&mut self, assumptions: &[SatLit], _guide: &Guide<'_>, limits: Limits) -> Verdict {
        self.solver.set_callbacks(Some(Clock(limits.deadline)));
        if limits.conflicts != u64::MAX {
            let limit = limits.conflicts.min(i32::MAX as u64) as i32;
            self.solver.set_limit("conflicts", limit).expect("CaDiCaL has a conflict limit");
        }
        match self.solver.solve_with(assumptions.iter().map(|&l| number(l))) {
            Some(true) => Verdict::Sat,
            Some(false) => Verdict::Unsat,
            None => Verdict::Unknown,
        }
    }

    fn value(&self, var: u32) -> bool {
        self.solver.value(var as i32 + 1) == Some(true)
    }

    fn failed(&self, assumption: SatLit) -> bool {
        self.solver.failed(number(assumption))
    }

    fn conflicts(&self) -> u64 {
        0
    }
}
