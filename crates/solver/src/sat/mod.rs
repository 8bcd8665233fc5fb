//! What the bit-blaster needs of a SAT solver, and the solvers that provide it.
//!
//! `cdcl` is ours: incremental, restricted to a query's cone, guided by the caller's hint. `cadical` takes queries
//! that prove hard. Nothing here knows circuits or expressions.
//!
//! Why our own: CPU seconds for the same queries of `examples/families` (all layers above switched off) were, for
//! ours / batsat incremental / batsat fresh / CaDiCaL incremental / CaDiCaL fresh: byte compares 0.03 / 1.7 / 0.04 /
//! 1.3 / 0.1, 32-bit words 0.4 / 2.9 / 1.2 / 2.8 / 1.8, atoi and products 1.1 / 1.4 / 12.9 / 3.2 / 15.4, tables
//! 0.16 / 0.76 / 0.50 / 0.70 / 1.0, floats 0.22 / 0.50 / 1.3 / 0.77 / 1.9. Without the restriction to the cone
//! ours takes 1.2 to 3.4 times as long. The hint's phases save up to a quarter on most families, change nothing on
//! tables, and cost some time on atoi.

mod cadical;
mod cdcl;
mod heap;

pub(crate) use cadical::Cadical;
pub(crate) use cdcl::Cdcl;

use crate::deadline::Deadline;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SatLit(u32);

impl SatLit {
    pub fn new(var: u32, negated: bool) -> SatLit {
        SatLit(var << 1 | u32::from(negated))
    }

    pub fn var(self) -> u32 {
        self.0 >> 1
    }

    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for SatLit {
    type Output = SatLit;
    fn not(self) -> SatLit {
        SatLit(self.0 ^ 1)
    }
}

/// What a SAT solver said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Sat,
    Unsat,
    /// A limit was reached.
    Unknown,
}

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub deadline: Deadline,
    /// Conflicts; `u64::MAX` for no limit.
    pub conflicts: u64,
}

/// What a query may decide and where to look first.
pub(crate) struct Guide<'a> {
    /// Variables that must be assigned in a model: closed under the definitions of the circuit.
    pub scope: &'a [u32],
    /// Those of them that decide all others: the circuit's inputs. The search begins with these alone; others join when
    /// conflicts show that they matter.
    pub inputs: &'a [u32],
    /// By variable: the value to try first (of the variables in scope).
    pub phase: &'a [bool],
}

/// An incremental SAT solver.
pub(crate) trait Sat {
    /// A new variable; they are numbered from zero.
    fn new_var(&mut self) -> u32;
    /// Adds a clause for good.
    fn add_clause(&mut self, clause: &[SatLit]);
    /// Is there a model in which all assumptions hold?
    fn solve(&mut self, assumptions: &[SatLit], guide: &Guide<'_>, limits: Limits) -> Verdict;
    /// After `Sat`: the value of a variable in scope.
    fn value(&self, var: u32) -> bool;
    /// After `Unsat`: does the refutation use this assumption?
    fn failed(&self, assumption: SatLit) -> bool;
    /// Conflicts so far.
    fn conflicts(&self) -> u64;
}
