//! Deciding with witnesses: what holds under the state's own assignment is feasible for free, and only the other
//! side needs the solver.

use crate::fault::{Limit, Termination};
use crate::machine::{Ended, Vm};
use crate::state::{State, Witness};
use crate::value::Value;
use forkwise_expr::{Expr, Op};
use forkwise_solver::Answer;
use std::rc::Rc;

/// Can a condition hold on a path?
pub enum Feasibility {
    /// Yes, with this witness (of path condition and condition).
    Yes(Rc<Witness>),
    /// No.
    No,
    /// The solver gave no answer; why.
    Unknown(String),
}

impl Vm {
    /// Can `cond` hold on the path of `st`?
    pub fn may(&mut self, st: &mut State, cond: Expr) -> Feasibility {
        if self.exprs.is_false(cond) {
            return Feasibility::No;
        }
        if self.eval(st, cond) == 1 {
            return Feasibility::Yes(st.witness.clone());
        }
        if let Some(witness) = self.seed_witness(st, cond) {
            return Feasibility::Yes(witness);
        }
        self.ask(st, cond)
    }

    /// The same as far as it can be told without a back end of the solver; `None`: it cannot.
    pub(crate) fn may_quickly(&mut self, st: &mut State, cond: Expr) -> Option<Feasibility> {
        if self.exprs.is_false(cond) {
            return Some(Feasibility::No);
        }
        if let Some(witness) = self.seed_witness(st, cond) {
            return Some(Feasibility::Yes(witness));
        }
        let work = self.solver.work();
        let answer = self.solver.quick(&mut self.exprs, &st.condition, cond, st.witness.assignment());
        st.solver_work += self.solver.work() - work;
        let answer = answer?;
        Some(self.feasibility(st, answer))
    }

    /// An answer about a condition on the path of `st`, with a whole witness.
    pub(crate) fn feasibility(&mut self, st: &State, answer: Answer) -> Feasibility {
        match answer {
            Answer::Sat(model) => {
                let mut bytes = st.witness.bytes.clone();
                for (s, v) in model {
                    let i = s.0 as usize;
                    if i >= bytes.len() {
                        if v == 0 {
                            continue;
                        }
                        bytes.resize(i + 1, 0);
                    }
                    bytes[i] = v;
                }
                Feasibility::Yes(self.new_witness(bytes))
            }
            Answer::Unsat => Feasibility::No,
            Answer::Unknown(why) => Feasibility::Unknown(format!("{why:?}")),
        }
    }

    /// Adds a condition that holds under the state's witness.
    pub fn assume_true(&mut self, st: &mut State, cond: Expr) {
        debug_assert_eq!(self.eval(st, cond), 1, "an assumption must hold under the witness");
        st.condition.add(&mut self.exprs, cond);
        self.keep_seeds(st, cond);
    }

    /// A sibling on which `cond` holds, under `witness`.
    pub fn sibling(&mut self, st: &mut State, cond: Expr, witness: Rc<Witness>) -> Box<State> {
        let id = self.next_state;
        self.next_state += 1;
        self.count_fork(st);
        let mut child = st.fork(id);
        child.witness = witness;
        child.condition.add(&mut self.exprs, cond);
        child.seeds = self.seeds_where(st, cond);
        self.keep_seeds(&mut child, cond);
        child
    }

    /// A new sibling goes to whoever chooses, unless a path is run again that leaves it aside.
    pub fn push_fork(&mut self, child: Box<State>) {
        match self.skip_siblings {
            0 => self.forks.push(child),
            _ => self.skip_siblings -= 1,
        }
    }

    /// Makes the state satisfy `cond`; `cond` may be false under its witness. False when that is impossible.
    pub fn require(&mut self, st: &mut State, cond: Expr) -> Result<bool, Termination> {
        if self.exprs.is_true(cond) {
            return Ok(true);
        }
        match self.may(st, cond) {
            Feasibility::Yes(w) => {
                st.witness = w;
                st.condition.add(&mut self.exprs, cond);
                self.keep_seeds(st, cond);
                Ok(true)
            }
            Feasibility::No => Ok(false),
            Feasibility::Unknown(why) => Err(Termination::Limit(Limit::Solver(why))),
        }
    }

    /// Begins a path under conditions that are known before it runs. `bytes` is an assignment that satisfies the state's
    /// path condition and, it is hoped, most of `conditions`; the solver is asked once, for those that are left. False
    /// when they contradict each other.
    pub fn begin_under(
        &mut self,
        st: &mut State,
        conditions: &[Expr],
        bytes: Vec<u8>,
    ) -> Result<bool, Termination> {
        st.witness = self.new_witness(bytes);
        let mut rest = self.exprs.bool(true);
        for c in conditions {
            match self.eval(st, *c) {
                1 => st.condition.add(&mut self.exprs, *c),
                _ => rest = self.exprs.and(rest, *c),
            }
        }
        self.require(st, rest)
    }

    /// The error check: `bad` must not hold. Where it can, a sibling ends with the termination; where it must, the
    /// state itself ends. Afterwards `bad` is false on the path of `st`.
    pub fn check_never(
        &mut self,
        st: &mut State,
        bad: Expr,
        end: impl FnOnce(&mut Vm, &State) -> Termination,
    ) -> Result<(), Termination> {
        self.check_never_preferring(st, bad, None, end)
    }

    /// The same; the failing sibling's witness satisfies `prefer` if it can.
    pub(crate) fn check_never_preferring(
        &mut self,
        st: &mut State,
        bad: Expr,
        prefer: Option<Expr>,
        end: impl FnOnce(&mut Vm, &State) -> Termination,
    ) -> Result<(), Termination> {
        if self.exprs.is_false(bad) {
            return Ok(());
        }
        let good = self.exprs.not(bad);
        if self.eval(st, bad) == 1 {
            // The witness is on the failing side: the sibling takes the good side, if there is one.
            match self.may(st, good) {
                Feasibility::Yes(w) => {
                    let id = self.next_state;
                    self.next_state += 1;
                    self.count_fork(st);
                    let mut failing = st.fork(id);
                    failing.condition.add(&mut self.exprs, bad);
                    self.prefer(&mut failing, prefer);
                    let termination = end(self, &failing);
                    self.ended.push(Ended { state: failing, termination });
                    st.witness = w;
                    st.condition.add(&mut self.exprs, good);
                    self.keep_seeds(st, good);
                    Ok(())
                }
                Feasibility::No | Feasibility::Unknown(_) => Err(end(self, st)),
            }
        } else {
            match self.may(st, bad) {
                Feasibility::Yes(w) => {
                    let mut failing = self.sibling(st, bad, w);
                    self.prefer(&mut failing, prefer);
                    let termination = end(self, &failing);
                    self.ended.push(Ended { state: failing, termination });
                    self.assume_true(st, good);
                }
                Feasibility::No => {}
                Feasibility::Unknown(why) => {
                    self.note(format!("a check was skipped because the solver gave no answer ({why})"));
                    self.assume_true(st, good);
                }
            }
            Ok(())
        }
    }

    /// Moves the witness to where `wish` holds, if that is possible; the path condition stays.
    fn prefer(&mut self, st: &mut State, wish: Option<Expr>) {
        if let Some(wish) = wish
            && let Feasibility::Yes(w) = self.may(st, wish)
        {
            st.witness = w;
        }
    }

    /// Makes a value (at most 64 bits) concrete without losing any: the state goes on with the value under its
    /// witness, a sibling executes the same operation again with all others. Bounded by `Config::max_values`
    /// siblings at one place; beyond, the remaining values end as an unfinished path that says so.
    pub fn concretize(&mut self, st: &mut State, v: Value, w: u32, what: &str) -> Result<u64, Termination> {
        let Some(e) = v.sym else { return Ok(v.bits) };
        let c = self.eval(st, e);
        let k = self.exprs.constant(w, c);
        let is = self.exprs.bin(Op::Eq, e, k);
        let other = self.exprs.not(is);
        if !self.exprs.is_false(other) {
            match self.may(st, other) {
                Feasibility::Yes(witness) => {
                    let mut child = self.sibling(st, other, witness);
                    let here = (child.frame.func, child.frame.pc);
                    let n = if (child.tried.0, child.tried.1) == here { child.tried.2 + 1 } else { 1 };
                    child.tried = (here.0, here.1, n);
                    if n >= self.config.max_values || self.stop_forking || !st.forking {
                        let why = format!("more than {n} values of {what}");
                        self.note(format!(
                            "{why} {}: the rest is left out (raise --max-values)",
                            self.place(&child)
                        ));
                        self.ended.push(Ended {
                            state: child,
                            termination: Termination::Limit(Limit::Values(why)),
                        });
                    } else {
                        self.push_fork(child);
                    }
                    self.assume_true(st, is);
                }
                Feasibility::No => {}
                Feasibility::Unknown(_) => self.assume_true(st, is),
            }
        }
        Ok(c)
    }

    /// Makes a value concrete where following all its values makes no sense (long double arithmetic, which has no
    /// symbolic form): the path goes on with the witness's value, the others end here as an unfinished path.
    pub(crate) fn concretize_one(
        &mut self,
        st: &mut State,
        v: Value,
        w: u32,
        what: &str,
    ) -> Result<u64, Termination> {
        let Some(e) = v.sym else { return Ok(v.bits) };
        let c = self.eval(st, e);
        let k = self.exprs.constant(w, c);
        let is = self.exprs.bin(Op::Eq, e, k);
        let other = self.exprs.not(is);
        if let Feasibility::Yes(witness) = self.may(st, other) {
            let child = self.sibling(st, other, witness);
            let why = format!("other values of {what}");
            self.note(format!("{} {}: only one value is followed", what, self.place(&child)));
            self.ended.push(Ended { state: child, termination: Termination::Limit(Limit::Values(why)) });
        }
        self.assume_true(st, is);
        Ok(c)
    }

    /// "at file:line" of the operation a state is executing.
    pub fn place(&self, st: &State) -> String {
        let f = &self.program.functions[st.frame.func as usize];
        let loc = f.locs.get(st.frame.pc as usize).copied().unwrap_or(0);
        let l = self.program.locations.get(loc as usize).copied().unwrap_or_default();
        match self.program.files.get(l.file as usize) {
            Some(file) if l.line != 0 => format!("at {}:{}", file.path, l.line),
            _ => format!("in {}", f.name),
        }
    }
}
