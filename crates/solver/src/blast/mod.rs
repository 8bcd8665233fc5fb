//! The bit-blasting back end: expressions to a circuit, cones of the circuit to clauses, clauses to a SAT solver.
//!
//! Circuit, clauses and learnt clauses live across queries; each constraint of a query is one assumption, so
//! an unsatisfiable query comes with the constraints it is due to. When the instance has grown large everything
//! is thrown away. Read `graph`, `words`, `translate`, `encode` in this order.

mod encode;
mod float;
mod float_arith;
mod float_round;
mod graph;
mod translate;
mod words;

use crate::deadline::Deadline;
use crate::sat::{Cadical, Cdcl, Guide, Limits, Sat, SatLit, Verdict};
use encode::Encoder;
use forkwise_expr::{Assignment, Expr, Exprs, SymbolId};
use graph::{FALSE, Graph, Lit, Stop, TRUE};
use translate::Translator;

pub(crate) use float::supported as supports_float;

/// A query: constraints known to be satisfiable together, and a condition.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub constraints: &'a [Expr],
    pub condition: Expr,
    /// Symbols whose values a model must give.
    pub symbols: &'a [SymbolId],
    pub hint: Assignment<'a>,
}

/// What bit-blasting said.
pub(crate) enum Outcome {
    /// Values of the query's symbols.
    Sat(Vec<(SymbolId, u8)>),
    /// The constraints that refute the condition.
    Unsat(Vec<Expr>),
    /// Out of time.
    Timeout,
    /// Out of conflicts; time is left.
    GaveUp,
    /// The circuit would not fit; time is left.
    TooLarge,
}

/// What bit-blasting cost, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Runs of a SAT solver.
    pub calls: u64,
    /// Gates of circuits.
    pub gates: u64,
    /// Propagations of our solver.
    pub propagations: u64,
    /// Its conflicts.
    pub conflicts: u64,
}

/// The back end.
#[derive(Default)]
pub(crate) struct Blaster {
    graph: Graph,
    translator: Translator,
    encoder: Encoder,
    own: Cdcl,
    lits: Vec<(Expr, Lit)>,
    /// Runs of a SAT solver.
    pub calls: u64,
    /// Effort of solvers already thrown away.
    past: Effort,
}

/// Above this many variables or bytes the instance is rebuilt: old cones make watch lists long and cost memory. The
/// scope keeps them out of the search, so the limit can be generous.
const MAX_VARIABLES: usize = 200_000;
const MAX_BYTES: usize = 96 << 20;
const MAX_NODES: usize = 1_500_000;

impl Blaster {
    /// Drops what is keyed by expression handles; circuit and clauses stay.
    pub fn forget(&mut self) {
        self.translator.forget();
    }

    pub fn conflicts(&self) -> u64 {
        self.past.conflicts + self.own.conflicts()
    }

    /// What was done so far; the same in every run.
    pub fn effort(&self) -> Effort {
        Effort {
            calls: self.calls,
            gates: self.past.gates + self.graph.len() as u64,
            propagations: self.past.propagations + self.own.propagations(),
            conflicts: self.conflicts(),
        }
    }

    /// Decides a query with our solver, in at most `conflicts`.
    pub fn solve(
        &mut self,
        ex: &mut Exprs,
        query: &Query<'_>,
        conflicts: u64,
        deadline: Deadline,
    ) -> Outcome {
        if let Some(done) = self.prepare(ex, query, deadline) {
            return done;
        }
        self.calls += 1;
        let Blaster { graph, encoder, own, lits, .. } = self;
        run(graph, encoder, own, lits, query, Limits { deadline, conflicts })
    }

    /// Decides a query with CaDiCaL, from scratch.
    pub fn solve_hard(&mut self, ex: &mut Exprs, query: &Query<'_>, deadline: Deadline) -> Outcome {
        if let Some(done) = self.prepare(ex, query, deadline) {
            return done;
        }
        self.calls += 1;
        let limits = Limits { deadline, conflicts: u64::MAX };
        run(&mut self.graph, &mut Encoder::default(), &mut Cadical::default(), &self.lits, query, limits)
    }

    /// Builds the circuit; an outcome if that is enough or not possible.
    fn prepare(&mut self, ex: &mut Exprs, query: &Query<'_>, deadline: Deadline) -> Option<Outcome> {
        let large = self.encoder.len() > MAX_VARIABLES || self.graph.len() > MAX_NODES;
        if large || self.own.memory_bytes() > MAX_BYTES {
            self.reset();
        }
        self.graph.start(deadline);
        match self.circuit(ex, query) {
            Ok(None) => None,
            Ok(Some(core)) => Some(Outcome::Unsat(core)),
            Err(Stop::Timeout) => Some(Outcome::Timeout),
            Err(Stop::TooLarge) => {
                self.reset();
                Some(Outcome::TooLarge)
            }
        }
    }

    /// Throws circuit and clauses away.
    pub fn reset(&mut self) {
        let (calls, past) = (self.calls, self.effort());
        *self = Blaster { calls, past, ..Blaster::default() };
    }

    /// Fills `lits` with the literal of every constraint; a core if one of them is false already.
    fn circuit(&mut self, ex: &mut Exprs, query: &Query<'_>) -> Result<Option<Vec<Expr>>, Stop> {
        self.lits.clear();
        // The condition last: constraints hold under the hint, so its cone is where the search has to work.
        for &c in query.constraints.iter().chain([&query.condition]) {
            let lit = self.translator.condition(&mut self.graph, ex, c)?;
            if lit == FALSE {
                return Ok(Some(if c == query.condition { Vec::new() } else { vec![c] }));
            }
            if lit != TRUE {
                self.lits.push((c, lit));
            }
        }
        Ok(None)
    }
}

/// One run of a SAT solver on the cones of `lits`.
fn run(
    graph: &mut Graph,
    encoder: &mut Encoder,
    sat: &mut dyn Sat,
    lits: &[(Expr, Lit)],
    query: &Query<'_>,
    limits: Limits,
) -> Outcome {
    let mut assumptions: Vec<SatLit> = Vec::with_capacity(lits.len());
    for &(_, lit) in lits {
        match encoder.literal(graph, sat, lit) {
            Ok(l) => assumptions.push(l),
            Err(Stop::Timeout) => return Outcome::Timeout,
            Err(Stop::TooLarge) => return Outcome::TooLarge,
        }
    }
    let hint = query.hint;
    let (scope, inputs, phase) =
        encoder.scope(&assumptions, |n| hint.get(SymbolId(n / 8)) >> (n % 8) & 1 == 1);
    match sat.solve(&assumptions, &Guide { scope, inputs, phase }, limits) {
        Verdict::Sat => Outcome::Sat(model(encoder, sat, query)),
        Verdict::Unsat => Outcome::Unsat(
            lits.iter()
                .zip(&assumptions)
                .filter(|&(&(c, _), &a)| c != query.condition && sat.failed(a))
                .map(|(&(c, _), _)| c)
                .collect(),
        ),
        Verdict::Unknown if limits.deadline.passed() => Outcome::Timeout,
        Verdict::Unknown => Outcome::GaveUp,
    }
}

/// The values of the query's symbols: bits outside the scope keep the hint's value.
fn model(encoder: &Encoder, sat: &dyn Sat, query: &Query<'_>) -> Vec<(SymbolId, u8)> {
    let mut model: Vec<(SymbolId, u8)> = query.symbols.iter().map(|&s| (s, query.hint.get(s))).collect();
    for (var, symbol, bit) in encoder.inputs() {
        if let Ok(at) = model.binary_search_by_key(&symbol, |m| m.0) {
            let mask = 1u8 << bit;
            model[at].1 = if sat.value(var) { model[at].1 | mask } else { model[at].1 & !mask };
        }
    }
    model
}

#[cfg(test)]
mod tests;
