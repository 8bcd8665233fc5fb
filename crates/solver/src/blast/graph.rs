//! The circuit: a hash-consed graph of AND, XOR and MUX nodes over input bits.
//!
//! Every constructor folds constants and applies two-level structural rules, so that equal functions built alike
//! share one node. Nodes are only ever added; a literal stays valid for the graph's life. The graph knows neither
//! expressions (`translate`) nor SAT solvers (`encode`).

use crate::deadline::Deadline;
use rustc_hash::FxHashMap;

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

pub(crate) const FALSE: Lit = Lit(0);
pub(crate) const TRUE: Lit = Lit(1);

impl Lit {
    fn positive(node: u32) -> Lit {
        Lit(node << 1)
    }

    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Negated if `flip`.
    pub fn flip(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }

    pub fn constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == TRUE)
    }

    /// The constant literal of this value.
    pub fn of(value: bool) -> Lit {
        if value { TRUE } else { FALSE }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    /// Node 0.
    Constant,
    /// A free bit, numbered by the caller.
    Input(u32),
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// `If condition then first else second`.
    Mux(Lit, Lit, Lit),
}

/// The circuit was not finished: out of time or out of space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    Timeout,
    TooLarge,
}

/// The circuit.
pub(crate) struct Graph {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, u32>,
    deadline: Deadline,
    next_poll: usize,
    stopped: Option<Stop>,
}

/// Nodes between two looks at the clock.
const POLL: usize = 1 << 12;
/// A circuit larger than this (about a gigabyte with its clauses) is left to the SMT-LIB program.
const MAX_NODES: usize = 8_000_000;

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            gates: vec![Gate::Constant],
            known: FxHashMap::default(),
            deadline: Deadline::NONE,
            next_poll: 0,
            stopped: None,
        }
    }
}

impl Graph {
    /// Sets the limit that [`Graph::alive`] reports against.
    pub fn start(&mut self, deadline: Deadline) {
        self.deadline = deadline;
        self.next_poll = self.gates.len() + POLL;
        self.stopped = None;
    }

    /// To be asked in every loop that builds an unbounded number of nodes.
    pub fn alive(&mut self) -> Result<(), Stop> {
        if self.stopped.is_none() && self.gates.len() >= self.next_poll {
            self.next_poll = self.gates.len() + POLL;
            if self.gates.len() > MAX_NODES {
                self.stopped = Some(Stop::TooLarge);
            } else if self.deadline.passed() {
                self.stopped = Some(Stop::Timeout);
            }
        }
        self.stopped.map_or(Ok(()), Err)
    }

    /// Looks at the clock now; for loops that walk the graph without adding to it.
    pub fn check_clock(&mut self) -> Result<(), Stop> {
        self.next_poll = 0;
        self.alive()
    }

    pub fn gate(&self, node: u32) -> Gate {
        self.gates[node as usize]
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    fn intern(&mut self, gate: Gate) -> Lit {
        let gates = &mut self.gates;
        let node = *self.known.entry(gate).or_insert_with(|| {
            gates.push(gate);
            gates.len() as u32 - 1
        });
        Lit::positive(node)
    }

    /// The free bit with this number.
    pub fn input(&mut self, number: u32) -> Lit {
        self.intern(Gate::Input(number))
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        // x ∧ 0 → 0, x ∧ 1 → x, x ∧ x → x, x ∧ ¬x → 0
        if a == FALSE || b == FALSE || a == !b {
            return FALSE;
        }
        if a == TRUE || a == b {
            return b;
        }
        if b == TRUE {
            return a;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Gate::And(p, q) = self.gate(y.node()) {
                match y.negated() {
                    // x ∧ (x ∧ q) → y;  x ∧ (¬x ∧ q) → 0
                    false if x == p || x == q => return y,
                    false if x == !p || x == !q => return FALSE,
                    // x ∧ ¬(¬x ∧ q) → x;  x ∧ ¬(x ∧ q) → x ∧ ¬q
                    true if x == !p || x == !q => return x,
                    true if x == p => return self.and(x, !q),
                    true if x == q => return self.and(x, !p),
                    _ => {}
                }
            }
        }
        if let (Gate::And(p, q), Gate::And(r, s), false, false) =
            (self.gate(a.node()), self.gate(b.node()), a.negated(), b.negated())
        {
            // (p ∧ q) ∧ (r ∧ s) with opposite members → 0
            if p == !r || p == !s || q == !r || q == !s {
                return FALSE;
            }
        }
        self.intern(if a < b { Gate::And(a, b) } else { Gate::And(b, a) })
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Negations move out: ¬x ⊕ y → ¬(x ⊕ y)
        let flip = a.negated() ^ b.negated();
        let (a, b) = (a.flip(a.negated()), b.flip(b.negated()));
        // x ⊕ x → 0, x ⊕ 0 → x
        if a == b {
            return FALSE.flip(flip);
        }
        if a == FALSE {
            return b.flip(flip);
        }
        if b == FALSE {
            return a.flip(flip);
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Gate::Xor(p, q) = self.gate(y.node()) {
                // x ⊕ (x ⊕ q) → q
                if x == p {
                    return q.flip(flip);
                }
                if x == q {
                    return p.flip(flip);
                }
            }
        }
        self.intern(if a < b { Gate::Xor(a, b) } else { Gate::Xor(b, a) }).flip(flip)
    }

    pub fn mux(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        // if ¬c then t else e → if c then e else t
        let (c, t, e) = if c.negated() { (!c, e, t) } else { (c, t, e) };
        if c == FALSE {
            return e;
        }
        // if c then t else t → t;  if c then ¬e else e → c ⊕ e
        if t == e {
            return t;
        }
        if t == !e {
            return self.xor(c, e);
        }
        // A branch that is constant or the condition itself is a conjunction or a disjunction.
        if t == TRUE || t == c {
            return self.or(c, e);
        }
        if t == FALSE || t == !c {
            return self.and(!c, e);
        }
        if e == FALSE || e == c {
            return self.and(c, t);
        }
        if e == TRUE || e == !c {
            return self.or(!c, t);
        }
        // Negation of the first branch moves out.
        let flip = t.negated();
        let (t, e) = (t.flip(flip), e.flip(flip));
        // if c then t else (if c then _ else x) → if c then t else x, and the same on the other side
        if let (Gate::Mux(d, _, x), n) = (self.gate(e.node()), e.negated())
            && d == c
        {
            return self.mux(c, t, x.flip(n)).flip(flip);
        }
        if let Gate::Mux(d, x, _) = self.gate(t.node())
            && d == c
        {
            return self.mux(c, x, e).flip(flip);
        }
        self.intern(Gate::Mux(c, t, e)).flip(flip)
    }

    /// Sum and carry of three bits.
    pub fn full_add(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        let sum = self.xor(half, c);
        // The carry is c where a and b differ, else a. A constant operand makes it one gate.
        let carry = match (a.constant(), b.constant(), c.constant()) {
            (Some(v), _, _) => self.and_or(v, b, c),
            (_, Some(v), _) => self.and_or(v, a, c),
            (_, _, Some(v)) => self.and_or(v, a, b),
            _ => self.mux(half, c, a),
        };
        (sum, carry)
    }

    fn and_or(&mut self, or: bool, a: Lit, b: Lit) -> Lit {
        if or { self.or(a, b) } else { self.and(a, b) }
    }

    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(TRUE, |acc, l| self.and(acc, l))
    }

    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !lits.into_iter().fold(TRUE, |acc, l| self.and(acc, !l))
    }
}
