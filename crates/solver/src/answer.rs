//! What the chain answers and what it counts. Plain data, no behaviour; the chain that fills it is in `chain`.

use forkwise_expr::SymbolId;

/// Answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Satisfiable; values of the symbols of the groups the query touched (others keep the caller's).
    Sat(Vec<(SymbolId, u8)>),
    /// Unsatisfiable.
    Unsat,
    /// Not decided.
    Unknown(Unknown),
}

impl Answer {
    /// Is the answer [`Answer::Sat`]?
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Is the answer [`Answer::Unsat`]?
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }

    /// `sat`, `unsat` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// Why a query was not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The time limit.
    #[error("the solver's time limit was reached")]
    Timeout,
    /// Needs the SMT-LIB program, which is missing or failed; the text says what to do.
    #[error("{0}")]
    BackEnd(String),
}

/// Counters, all monotone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Calls of `check` (those made by `range` included).
    pub queries: u64,
    /// Answered by constants, membership, ranges, known bits or byte domains.
    pub trivial: u64,
    /// Answered by the exact or the subset cache.
    pub cache_hits: u64,
    /// Answered by the hint, a recent model or a small change to the hint.
    pub model_hits: u64,
    /// Runs of a SAT solver.
    pub sat_calls: u64,
    /// Queries sent to the SMT-LIB program, cross-checks included.
    pub smt_calls: u64,
    /// Queries that ended with [`Unknown::Timeout`].
    pub timeouts: u64,
    /// Cross-checks in which the chain and the SMT-LIB program contradict each other.
    pub disagreements: u64,
    /// Models a back end returned that do not satisfy their query (a bug of ours or of a back end).
    pub wrong_models: u64,
    /// Conflicts of the SAT solver.
    pub conflicts: u64,
    /// Answers: satisfiable.
    pub sat: u64,
    /// Answers: unsatisfiable.
    pub unsat: u64,
    /// Work done, in units of about a nanosecond that are counted instead of measured: the same queries in the same order
    /// cost the same in every run (see `Solver::work`).
    pub work: u64,
    /// Time spent in `check`.
    pub nanos: u64,
}
