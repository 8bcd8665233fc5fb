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

use crate::config::SatEngine;
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
    /// Too large or too hard; time is left.
    GaveUp,
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
    /// Conflicts of solvers already thrown away.
    past_conflicts: u64,
}

/// Above this many variables or bytes the instance is rebuilt: old cones make watch lists long and cost memory. The
/// scope keeps them out of the search, so the limit can be generous.
const MAX_VARIABLES: usize = 200_000;
const MAX_BYTES: usize = 96 << 20;
/// Conflicts after which our solver leaves a query to CaDiCaL.
const HARD: u64 = 20_000;

impl Blaster {
    /// Drops what is keyed by expression handles; circuit and clauses stay.
    pub fn forget(&mut self) {
        self.translator.forget();
    }

    pub fn conflicts(&self) -> u64 {
        self.past_conflicts + self.own.conflicts()
    }

    /// Decides a query. `patience` is the deadline of the first attempt with our solver and CaDiCaL.
    pub fn solve(
        &mut self,
        ex: &mut Exprs,
        query: &Query<'_>,
        engine: SatEngine,
        deadline: Deadline,
    ) -> Outcome {
        if self.encoder.len() > MAX_VARIABLES || self.own.memory_bytes() > MAX_BYTES {
            let (calls, past_conflicts) = (self.calls, self.conflicts());
            *self = Blaster { calls, past_conflicts, ..Blaster::default() };
        }
        self.graph.start(deadline);
        match self.circuit(ex, query) {
            Ok(Some(core)) => return Outcome::Unsat(core),
            Ok(None) => {}
            Err(Stop::Timeout) => return Outcome::Timeout,
            Err(Stop::TooLarge) => {
                let (calls, past_conflicts) = (self.calls, self.conflicts());
                *self = Blaster { calls, past_conflicts, ..Blaster::default() };
                return Outcome::GaveUp;
            }
        }
        if engine != SatEngine::Cadical {
            let conflicts = if engine == SatEngine::Auto { HARD } else { u64::MAX };
            self.calls += 1;
            let Blaster { graph, encoder, own, lits, .. } = self;
            match run(graph, encoder, own, lits, query, Limits { deadline, conflicts }) {
                Outcome::GaveUp if engine == SatEngine::Auto => {}
                done => return done,
            }
        }
        self.calls += 1;
        let limits = Limits { deadline, conflicts: u64::MAX };
        let mut fresh = Encoder::default();
        run(&mut self.graph, &mut fresh, &mut Cadical::default(), &self.lits, query, limits)
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
            Err(Stop::TooLarge) => return Outcome::GaveUp,
        }
    }
    let hint = query.hint;
    let (scope, phase) = encoder.scope(&assumptions, |n| hint.get(SymbolId(n / 8)) >> (n % 8) & 1 == 1);
    match sat.solve(&assumptions, &Guide { scope, phase }, limits) {
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
