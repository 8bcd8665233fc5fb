//! Cones of the circuit as clauses, on demand, and the variables a query may decide.
//!
//! Only nodes below an asked literal get a variable. A chain of ANDs becomes one many-input gate. Fan-ins are kept
//! per variable, so that a query's scope (the cone of its assumptions) and the circuit's values under a hint can be
//! computed without the graph. Every gate is defined in both directions: any assignment of inputs extends to
//! one of all variables, which is what lets the SAT solver leave variables outside the scope unassigned.

use super::graph::{Gate, Graph, Lit, Stop};
use crate::sat::{Sat, SatLit};
use forkwise_expr::SymbolId;

/// What defines a variable; fan-ins are in `Encoder::pool`.
#[derive(Clone, Copy)]
enum Kind {
    /// The constant false.
    Constant,
    Input(u32),
    And,
    Xor,
    Mux,
}

#[derive(Clone, Copy)]
struct Definition {
    kind: Kind,
    start: u32,
    len: u32,
}

/// The clauses of a circuit's cones.
#[derive(Default)]
pub(crate) struct Encoder {
    /// By node: variable plus one.
    variable: Vec<u32>,
    definitions: Vec<Definition>,
    pool: Vec<SatLit>,
    todo: Vec<u32>,
    leaves: Vec<Lit>,
    /// Variables below the assumptions of the last query, fan-ins first.
    scope: Vec<u32>,
    /// The inputs among them.
    inputs: Vec<u32>,
    stamp: Vec<u32>,
    epoch: u32,
    value: Vec<bool>,
}

/// Inputs of one AND gate after flattening.
const MAX_AND: usize = 40;

impl Encoder {
    /// Number of variables.
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// The SAT literal of a circuit literal; its cone is added to the solver as needed.
    pub fn literal(&mut self, g: &mut Graph, sat: &mut dyn Sat, lit: Lit) -> Result<SatLit, Stop> {
        if self.variable.len() < g.len() {
            self.variable.resize(g.len(), 0);
        }
        self.todo.push(lit.node());
        let mut leaves = std::mem::take(&mut self.leaves);
        let mut steps = 0u32;
        while let Some(&node) = self.todo.last() {
            if self.variable[node as usize] != 0 {
                self.todo.pop();
                continue;
            }
            steps += 1;
            if steps.is_multiple_of(4096)
                && let Err(stop) = g.check_clock()
            {
                self.todo.clear();
                return Err(stop);
            }
            leaves.clear();
            let kind = match g.gate(node) {
                Gate::Constant => Kind::Constant,
                Gate::Input(n) => Kind::Input(n),
                Gate::And(a, b) => {
                    self.flatten(g, a, b, &mut leaves);
                    Kind::And
                }
                Gate::Xor(a, b) => {
                    leaves.extend([a, b]);
                    Kind::Xor
                }
                Gate::Mux(c, t, e) => {
                    leaves.extend([c, t, e]);
                    Kind::Mux
                }
            };
            let before = self.todo.len();
            for l in &leaves {
                if self.variable[l.node() as usize] == 0 {
                    self.todo.push(l.node());
                }
            }
            if self.todo.len() == before {
                self.todo.pop();
                self.define(sat, node, kind, &leaves);
            }
        }
        self.leaves = leaves;
        Ok(self.known(lit))
    }

    fn known(&self, lit: Lit) -> SatLit {
        SatLit::new(self.variable[lit.node() as usize] - 1, lit.negated())
    }

    /// The inputs of a tree of ANDs whose inner nodes have no variable yet.
    fn flatten(&self, g: &Graph, a: Lit, b: Lit, leaves: &mut Vec<Lit>) {
        leaves.extend([b, a]);
        let mut next = 0;
        while next < leaves.len() && leaves.len() < MAX_AND {
            let l = leaves[next];
            match g.gate(l.node()) {
                Gate::And(p, q) if !l.negated() && self.variable[l.node() as usize] == 0 => {
                    leaves[next] = p;
                    leaves.push(q);
                }
                _ => next += 1,
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
    }

    fn define(&mut self, sat: &mut dyn Sat, node: u32, kind: Kind, leaves: &[Lit]) {
        let var = sat.new_var();
        debug_assert_eq!(var as usize, self.definitions.len());
        self.variable[node as usize] = var + 1;
        let start = self.pool.len() as u32;
        for &l in leaves {
            let l = self.known(l);
            self.pool.push(l);
        }
        self.definitions.push(Definition { kind, start, len: leaves.len() as u32 });
        let v = SatLit::new(var, false);
        let inputs = &self.pool[start as usize..];
        match (kind, inputs) {
            (Kind::Constant, _) => sat.add_clause(&[!v]),
            (Kind::Input(_), _) => {}
            (Kind::And, _) => {
                let mut all: Vec<SatLit> = inputs.iter().map(|&l| !l).collect();
                inputs.iter().for_each(|&l| sat.add_clause(&[!v, l]));
                all.push(v);
                sat.add_clause(&all);
            }
            (Kind::Xor, &[a, b]) => {
                sat.add_clause(&[!v, a, b]);
                sat.add_clause(&[!v, !a, !b]);
                sat.add_clause(&[v, !a, b]);
                sat.add_clause(&[v, a, !b]);
            }
            (Kind::Mux, &[c, t, e]) => {
                sat.add_clause(&[!c, !t, v]);
                sat.add_clause(&[!c, t, !v]);
                sat.add_clause(&[c, !e, v]);
                sat.add_clause(&[c, e, !v]);
                // Redundant, but they propagate when both branches agree before the condition is known.
                sat.add_clause(&[!t, !e, v]);
                sat.add_clause(&[t, e, !v]);
            }
            _ => unreachable!("XOR has two inputs, MUX three"),
        }
    }

    /// The cone of the assumptions, fan-ins before their gates, its inputs, and the value of each variable when the inputs have
    /// the values of `input`.
    pub fn scope(
        &mut self,
        assumptions: &[SatLit],
        input: impl Fn(u32) -> bool,
    ) -> (&[u32], &[u32], &[bool]) {
        self.epoch += 1;
        self.scope.clear();
        self.inputs.clear();
        self.stamp.resize(self.definitions.len(), 0);
        self.value.resize(self.definitions.len(), false);
        self.todo.clear();
        for a in assumptions {
            self.todo.push(a.var());
            while let Some(&var) = self.todo.last() {
                if self.stamp[var as usize] == self.epoch {
                    self.todo.pop();
                    continue;
                }
                let d = self.definitions[var as usize];
                let fan_in = &self.pool[d.start as usize..(d.start + d.len) as usize];
                let before = self.todo.len();
                for l in fan_in {
                    if self.stamp[l.var() as usize] != self.epoch {
                        self.todo.push(l.var());
                    }
                }
                if self.todo.len() > before {
                    continue;
                }
                self.todo.pop();
                self.stamp[var as usize] = self.epoch;
                self.scope.push(var);
                let of = |l: SatLit| self.value[l.var() as usize] != l.negated();
                self.value[var as usize] = match (d.kind, fan_in) {
                    (Kind::Constant, _) => false,
                    (Kind::Input(n), _) => {
                        self.inputs.push(var);
                        input(n)
                    }
                    (Kind::And, _) => fan_in.iter().all(|&l| of(l)),
                    (Kind::Xor, &[a, b]) => of(a) != of(b),
                    (Kind::Mux, &[c, t, e]) => {
                        if of(c) {
                            of(t)
                        } else {
                            of(e)
                        }
                    }
                    _ => unreachable!("XOR has two inputs, MUX three"),
                };
            }
        }
        (&self.scope, &self.inputs, &self.value)
    }

    /// The inputs in the scope of the last query.
    pub fn inputs(&self) -> impl Iterator<Item = (u32, SymbolId, u32)> + '_ {
        self.inputs.iter().filter_map(|&v| match self.definitions[v as usize].kind {
            Kind::Input(n) => Some((v, SymbolId(n / 8), n % 8)),
            _ => None,
        })
    }
}
